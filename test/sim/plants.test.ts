import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { MASKS } from './masks.ts';
import { PLANTS } from './plants.ts';
import { addUp, firstViolation, runSeeds } from './seeds.ts';
import { EXCUSES, settingOf, TRIALS, UNMASKED } from './trials.ts';
import type { Trial } from './trials.ts';

/** How many seeds a bug may hide in; and for how many the same run without it has to be sound. */
const SEARCHED = scaled(900, 4_000);
const SOUND = scaled(5, 400);
/** Bugs that are not seen in one of the two settings, with the layer that covers for them (see `trials.ts`). */
const EXCUSED = 12;

function optionsOf({ invariants = [], options }: Trial, planted: readonly string[]): readonly string[] {
  const only = invariants.length === 0 ? [] : ['--only', invariants.join(',')];
  const bugs = planted.length === 0 ? [] : ['--plant', planted.join(',')];
  return [...options, ...only, ...bugs];
}

const layers = ({ off }: Trial): string => (off.length === 0 ? 'every layer on' : `without ${off.join(' and ')}`);

/** What is off in several trials alike is run once without a bug. */
function bareWorlds(): Trial[] {
  const worlds = TRIALS.filter(({ off }) => off.length > 0).map(
    (trial) => [JSON.stringify([trial.off, trial.options, trial.invariants]), trial] as const,
  );
  return [...new Map(worlds).values()];
}

describe.concurrent('a bug in the host', { concurrent: availableParallelism() > 1 }, () => {
  it.each(TRIALS)('goes unnoticed: $plant, $off', async (trial) => {
    const options = optionsOf(trial, [trial.plant, ...trial.off]);
    const found = await firstViolation({ from: trial.from ?? 1, count: SEARCHED, options });
    process.stdout.write(`${trial.plant} (${layers(trial)}): seed ${found?.seed}: ${found?.violation}\n`);
    expect(found?.violation, PLANTS[trial.plant]?.hazard).toBeTruthy();
    reportFigures({ 'planted bugs found': 1 });
  });

  it.each(bareWorlds())('is seen where there is none: without $off', async (trial) => {
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

  it('is planted and not tried in both settings, or excused without being on the list', () => {
    const tried = TRIALS.map((trial) => ({ ...trial, setting: settingOf(trial) }));
    const alike = UNMASKED.map((plant) => ({ plant, setting: 'bare' }));
    const known = [...tried, ...alike, ...EXCUSES];
    const told = known.map(({ plant, setting }) => `${plant}: ${setting}`);
    const wanted = Object.keys(PLANTS).flatMap((plant) => [`${plant}: whole`, `${plant}: bare`]);
    expect(told.toSorted()).toEqual(wanted.toSorted());
    expect(EXCUSES).toHaveLength(EXCUSED);
    reportFigures({ 'planted bugs that a layer always covers for': EXCUSED });
  });

  it('is covered for by a layer that no trial takes away', () => {
    const off = new Set(TRIALS.flatMap((trial) => trial.off));
    expect(Object.keys(MASKS).filter((name) => !off.has(name))).toEqual([]);
  });
});
