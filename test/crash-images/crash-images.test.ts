import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { canWatchDisks, WHY_SKIPPED } from './disk-shim.ts';
import { RecordingBench, explainFindings, judgeImages } from './recording.ts';
import type { Recording } from './recording.ts';

if (!canWatchDisks) process.stdout.write(`${WHY_SKIPPED}\n`);

/** How many images are made, how often each workload is lived through, and which share of the images each gets. */
const IMAGES = scaled(5_200, 500_000);
const LIVES = scaled(1, 20);
const WORKLOADS = [
  { name: 'a host with its register inside', kind: 'host', share: 0.35, rounds: 2, pages: undefined },
  // Brought into the file all the time, so that most cuts fall into a checkpoint.
  { name: 'a host whose log is brought into the file every 40 pages', kind: 'host', share: 0.25, rounds: 2, pages: 40 },
  {
    name: 'a host with a register on a file of its own',
    kind: 'host-and-register',
    share: 0.2,
    rounds: 2,
    pages: undefined,
  },
  { name: 'two hosts on one register', kind: 'register', share: 0.2, rounds: 4, pages: undefined },
] as const;

describe.skipIf(!canWatchDisks)('power cut at any operation of the disk', () => {
  let bench: RecordingBench;
  let images = 0;
  beforeAll(() => {
    bench = new RecordingBench();
  });
  afterAll(() => {
    bench.close();
  });

  for (const [index, { name, kind, share, rounds, pages }] of WORKLOADS.entries()) {
    // faremeter/interchange#84, CherryHQ/cherry-studio#11563, CherryHQ/cherry-studio#10474, CherryHQ/cherry-studio#15709
    test(`${name}: an acknowledged intent, settlement, lease or decision is lost, or judged wrongly`, async () => {
      for (let life = 0; life < LIVES; life += 1) {
        const seed = 11 + index + life * WORKLOADS.length;
        const knobs = pages === undefined ? {} : { checkpointPages: pages };
        const recording = await bench.record({ kind, seed, rounds, synchronous: 'FULL', ...knobs });
        const wanted = Math.ceil((IMAGES * share) / LIVES);
        const judgement = await judgeImages(recording, { seed, images: wanted });
        const { images: judged, byFinding } = judgement;
        const { lost = 0, corrupt = 0, refused = 0, verdict = 0 } = byFinding;
        reportFigures({ images: judged, 'lost acknowledged facts': lost, corrupt, refused, 'wrong verdicts': verdict });
        expect(explainFindings(recording, judgement)).toBe('');
        expect(judgement.images).toBeGreaterThanOrEqual(wanted);
        expectEnough(recording, judgement.acknowledged);
        images += judgement.images;
      }
    });
  }

  test('the images of all workloads are too few to mean anything', () => {
    expect(images).toBeGreaterThanOrEqual(IMAGES);
  });
});

/** A workload that acknowledged too little of anything would pass for nothing. */
function expectEnough(recording: Recording, acknowledged: Readonly<Record<string, number>>): void {
  if (recording.kind === 'register') {
    expect(recording.marks).toBeGreaterThan(150);
    expect(acknowledged['registers']).toBe(3);
    return;
  }
  for (const [word, least] of Object.entries({
    trigger: 15,
    intent: 20,
    settle: 20,
    lease: 12,
    recovery: 5,
    approval: 4,
  })) {
    expect(acknowledged[word], word).toBeGreaterThanOrEqual(least);
  }
  expect(acknowledged['hits']).toBeGreaterThanOrEqual(20);
}
