import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { canWatchDisks } from './disk-shim.ts';
import { RecordingBench, judgeImages } from './recording.ts';

const IMAGES = scaled(300, 10_000);
/** The least share of images in which a weaker setting has to be seen losing something. A third of what it was seen to be. */
const LEAST_SHARE_LOST = 0.25;
const LEAST_SHARE_CORRUPT = 0.1;

/**
 * The proof that the harness can see: the same workload on connections whose flush was taken away after the product had
 * checked it (reference: reliability, finding 1).
 */
describe.skipIf(!canWatchDisks)('a record that is not flushed at COMMIT', () => {
  let bench: RecordingBench;
  beforeAll(() => {
    bench = new RecordingBench();
  });
  afterAll(() => {
    bench.close();
  });

  test('synchronous=NORMAL loses acknowledged facts, and the images do not show it', async () => {
    const recording = await bench.record({ kind: 'host', seed: 5, rounds: 1, synchronous: 'NORMAL' });
    const { images, byFinding } = await judgeImages(recording, { seed: 5, images: IMAGES });
    const lost = byFinding['lost'] ?? 0;
    expect(images).toBeGreaterThanOrEqual(IMAGES);
    expect(lost / images).toBeGreaterThan(LEAST_SHARE_LOST);
    // An effect that the world has and the record does not know of would be done twice.
    expect(byFinding['verdict'] ?? 0).toBeGreaterThan(0);
    // NORMAL is late, not wrong: the file stays whole.
    expect(byFinding['corrupt'] ?? 0).toBe(0);
    reportFigures({ 'images with NORMAL': images, 'images that lost something with NORMAL': lost });
  });

  test('synchronous=OFF damages the file, and the images do not show it', async () => {
    const knobs = { synchronous: 'OFF', checkpointPages: 40 } as const;
    const recording = await bench.record({ kind: 'host', seed: 6, rounds: 1, ...knobs });
    const { images, byFinding } = await judgeImages(recording, { seed: 6, images: IMAGES });
    const corrupt = byFinding['corrupt'] ?? 0;
    expect(images).toBeGreaterThanOrEqual(IMAGES);
    expect(corrupt / images).toBeGreaterThan(LEAST_SHARE_CORRUPT);
    reportFigures({ 'images with OFF': images, 'images corrupt with OFF': corrupt });
  });
});
