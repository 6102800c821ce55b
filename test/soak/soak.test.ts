import { expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { SOAK_MINUTES } from './soak-minutes.ts';
import { soak } from './soak.ts';

const MINUTES = scaled(SOAK_MINUTES.perCommit, SOAK_MINUTES.perNight);

test('two hosts killed and frozen again and again lose nothing and do nothing twice', async () => {
  const { figures, failures } = await soak(MINUTES, Number(process.env['FENCEPOST_SOAK_SEED'] ?? 20_261_129));
  reportFigures({ ...figures });
  expect(failures).toEqual([]);
  expect(figures.lost + figures.doubled).toBe(0);
  expect(figures.kills).toBeGreaterThanOrEqual(10 * MINUTES);
  expect(figures.freezes).toBeGreaterThanOrEqual(MINUTES);
  expect(figures.takeovers).toBeGreaterThanOrEqual(MINUTES);
  expect(figures.effects).toBeGreaterThanOrEqual(20 * MINUTES);
  expect(figures['needs you']).toBeGreaterThanOrEqual(1);
});
