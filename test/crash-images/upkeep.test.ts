import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { canWatchDisks } from './disk-shim.ts';
import { RecordingBench, explainFindings, judgeImages } from './recording.ts';

const IMAGES = scaled(750, 20_000);

describe.skipIf(!canWatchDisks)('power cut during upkeep', () => {
  let bench: RecordingBench;
  beforeAll(() => {
    bench = new RecordingBench();
  });
  afterAll(() => {
    bench.close();
  });

  for (const { name, seed } of [
    { name: 'migration, checkpoint, copy and restore of an old record', seed: 2 },
    { name: 'checkpoint, first copy and restore of a new record', seed: 3 },
  ]) {
    test(`${name}: half a record opens, a copy is not there, or what was replaced is gone`, async () => {
      const recording = await bench.record({ kind: 'upkeep', seed, rounds: 4, synchronous: 'FULL' });
      const judgement = await judgeImages(recording, { seed, images: IMAGES });
      expect(explainFindings(recording, judgement)).toBe('');
      expect(judgement.images).toBeGreaterThanOrEqual(IMAGES);
      expect(judgement.acknowledged['copies']).toBe(4);
      reportFigures({ images: judgement.images, 'images of upkeep': judgement.images });
    });
  }
});
