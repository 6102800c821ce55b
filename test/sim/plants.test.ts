import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { MASKS } from './masks.ts';
import { PLANTS } from './plants.ts';
import { addUp, firstViolation, runSeeds } from './seeds.ts';
import { EXCUSES, settingOf, TRIALS, UNMASKED } from './trials.ts';
import type { Trial } from './trials.ts';

/** How many seeds a bug may hide in; and for how many, from that one on, the same run without it has to be sound. */
const SEARCHED = scaled(900, 4_000);
const SOUND = scaled(1, 200);
/** The same where the layers that are left have to have been in something. */
const REACHING = scaled(5, 400);
/** Bugs that are not seen in one of the two settings, with the layer that covers for them (see `trials.ts`). */
const EXCUSED = 14;

function optionsOf({ invariants = [], options }: Trial, planted: readonly string[]): readonly string[] {
  const only = invariants.length === 0 ? [] : ['--only', invariants.join(',')];
  const bugs = planted.length === 0 ? [] : ['--plant', planted.join(',')];
  return [...options, ...only, ...bugs];
}

const layers = ({ off }: Trial): string => (off.length === 0 ? 'every layer on' : `without ${off.join(' and ')}`);

/** The seed that told a bug tells of nothing without it: what was found is the bug, and no layer that is off was missed. */
async function expectSound(trial: Trial, from: number): Promise<void> {
  const options = optionsOf(trial, trial.off);
  const reports = await runSeeds({ from, count: trial.reached === undefined ? SOUND : REACHING, options }, REACHING);
  expect(reports.map(({ violation }) => violation).filter((violation) => violation !== null)).toEqual([]);
  const { reached } = trial;
  if (reached === undefined) return;
  const count = addUp(reports.map(({ coverage }) => coverage)).get(reached) ?? 0;
  reportFigures({ [`${reached}, without ${trial.off.join(' and ')}`]: count });
  expect(count, reached).toBeGreaterThan(0);
}

describe.concurrent('a bug in the host', { concurrent: availableParallelism() > 1 }, () => {
  it.each(TRIALS)('goes unnoticed, or is seen where there is none: $plant, $off', async (trial) => {
    const options = optionsOf(trial, [trial.plant, ...trial.off]);
    const found = await firstViolation({ from: trial.from ?? 1, count: SEARCHED, options });
    process.stdout.write(`${trial.plant} (${layers(trial)}): seed ${found?.seed}: ${found?.violation}\n`);
    expect(found?.violation, PLANTS[trial.plant]?.hazard).toBeTruthy();
    await expectSound(trial, found?.seed ?? 1);
    reportFigures({ 'planted bugs found': 1 });
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
