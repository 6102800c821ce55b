import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { canWatchDisks } from './disk-shim.ts';
import { flipBits } from './flip-bits.ts';
import type { Flip } from './flip-bits.ts';
import { RecordingBench } from './recording.ts';
import type { Recording } from './recording.ts';

const FLIPS = scaled(60, 5_000);

describe.skipIf(!canWatchDisks)('one bit of a record is not as it was written', () => {
  let bench: RecordingBench;
  let recording: Recording;
  beforeAll(async () => {
    bench = new RecordingBench();
    // Brought into the file often, so that both the file and its log hold something of everything.
    recording = await bench.record({ kind: 'host', seed: 11, rounds: 1, synchronous: 'FULL', checkpointPages: 40 });
  });
  afterAll(() => bench.close());

  /** A record that is refused starts no host, so nothing is sent. */
  function expectNotice(flips: readonly Flip[]): void {
    expect(flips.filter(({ fate }) => fate === 'refused' || fate === 'told').length).toBeGreaterThan(0);
    const codes = flips.flatMap(({ code }) => (code === null ? [] : [code]));
    expect(codes.filter((code) => code !== 'store-corrupt')).toEqual([]);
  }

  test('in its file: the record is acted on, and something that was acknowledged is gone or judged wrongly', () => {
    const flips = flipBits(recording, { file: 'fencepost.sqlite', flips: FLIPS, seed: 3 });
    const of = (fate: Flip['fate']): Flip[] => flips.filter((flip) => flip.fate === fate);
    expectNotice(flips);
    // A text that does not read back stops whoever needs it. One that reads as something else would be seen here.
    const kinds = of('unnoticed').flatMap(({ findings }) => findings.map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind !== 'corrupt')).toEqual([]);
    reportFigures({ 'bits flipped in a file': flips.length, 'of them refused at the start': of('refused').length });
  });

  /**
   * SQLite takes a sum that is wrong for the end of its log, as after a cut, and leaves off there. So a bit that flips between
   * a crash and the next start may cost the newest commits without a word. With a register elsewhere its tail still has the
   * effects among them; the one inside the record loses them as well. Nothing older than that is lost.
   */
  test('in its log: the host breaks instead of refusing, or opens a record that does not agree with itself', () => {
    const flips = flipBits(recording, { file: 'fencepost.sqlite-wal', flips: FLIPS, seed: 4 });
    expectNotice(flips);
    const found = flips.filter(({ fate }) => fate === 'unnoticed').flatMap(({ findings }) => findings);
    expect(found.filter(({ kind }) => kind === 'refused' || kind === 'corrupt')).toEqual([]);
    const cutOff = flips.filter(({ findings }) => findings.some(({ kind }) => kind === 'lost')).length;
    reportFigures({ 'bits flipped in a log': flips.length, 'of them that cut the log off': cutOff });
  });
});
