import { describe, expect, it } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { addUp, runSeeds } from './seeds.ts';
import { tellFailed } from './shrink.ts';

/** A second register, and a person who moves everything there and back while all else goes wrong. */
const SEEDS = scaled(100, 20_000);
const OPTIONS = ['--moves'];
const AT_ONCE = 10;
/** What the batch must have been through, or its silence proves nothing. */
const SOMETIMES = ['moves begun', 'moves left off', 'moves over', 'agents moved', 'rights to act given after a move'];

describe('agents that are moved to another register', () => {
  it('something is done twice, left behind or never done by a move that is begun, broken off and begun again', async () => {
    const reports = await runSeeds({ from: 1, count: SEEDS, options: OPTIONS }, AT_ONCE);
    expect(reports).toHaveLength(SEEDS);
    const failed = reports.filter((report) => report.violation !== null);
    await tellFailed(failed, OPTIONS);
    const coverage = addUp(reports.map((report) => report.coverage));
    reportFigures({
      'seeds with moves': reports.length,
      'effects with moves': reports.reduce((sum, report) => sum + report.effects, 0),
      ...Object.fromEntries(SOMETIMES.map((situation) => [situation, coverage.get(situation) ?? 0])),
      'violations with moves': failed.length,
    });
    expect(failed.map((report) => `seed ${report.seed}: ${report.violation}`)).toEqual([]);
    expect(SOMETIMES.filter((situation) => (coverage.get(situation) ?? 0) === 0)).toEqual([]);
  });
});
