import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { PLANTS } from './plants.ts';
import { addUp, firstViolation, runSeeds } from './seeds.ts';
import { TRIALS } from './trials.ts';
import type { Trial } from './trials.ts';

/** How many seeds a bug may hide in; and for how many the same run without it has to be sound. */
const SEARCHED = scaled(900, 4_000);
const SOUND = scaled(5, 400);

function optionsOf({ invariants = [], options }: Trial, planted: readonly string[]): readonly string[] {
  const only = invariants.length === 0 ? [] : ['--only', invariants.join(',')];
  return [...options, ...only, '--plant', planted.join(',')];
}

const layers = ({ off }: Trial): string => (off.length === 0 ? 'every layer on' : `without ${off.join(' and ')}`);

describe.concurrent('a bug in the host', { concurrent: availableParallelism() > 1 }, () => {
  it.each(TRIALS)('goes unnoticed: $plant, $off', async (trial) => {
    const options = optionsOf(trial, [trial.plant, ...trial.off]);
    const found = await firstViolation({ from: trial.from ?? 1, count: SEARCHED, options });
    process.stdout.write(`${trial.plant} (${layers(trial)}): seed ${found?.seed}: ${found?.violation}\n`);
    expect(found?.violation, PLANTS[trial.plant]?.hazard).toBeTruthy();
    reportFigures({ 'planted bugs found': 1 });
  });

  it.each(TRIALS.filter(({ off }) => off.length > 0))('is seen where there is none: without $off', async (trial) => {
    const reports = await runSeeds(
      { from: trial.from ?? 1, count: SOUND, options: optionsOf(trial, trial.off) },
      SOUND,
    );
    expect(reports.map(({ violation }) => violation).filter((violation) => violation !== null)).toEqual([]);
    const { reached } = trial;
    if (reached === undefined) return;
    const count = addUp(reports.map(({ coverage }) => coverage)).get(reached) ?? 0;
    reportFigures({ [`${reached}, without ${trial.off.join(' and ')}`]: count });
    expect(count, reached).toBeGreaterThan(0);
  });

  it('is planted and never tried', () => {
    const tried = new Set(TRIALS.flatMap(({ plant, off }) => [plant, ...off]));
    expect(Object.keys(PLANTS).filter((name) => !tried.has(name))).toEqual([]);
  });
});
