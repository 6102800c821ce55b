import { afterAll, describe, expect, it } from 'vitest';
import { reportFigures } from '../harness/figures.ts';
import { SEARCH_SECONDS, tell } from './model-report.ts';
import { maskedRules, MUTANTS } from './mutants.ts';
import { search } from './search.ts';

describe('a guard that is broken is found', () => {
  const seen = { states: 0, transitions: 0, 'mutants killed': 0, [SEARCH_SECONDS]: 0 };

  it.each(MUTANTS)('$name', (mutant) => {
    const startedMs = performance.now();
    const whole = maskedRules(mutant);
    const held = search(mutant.scenario, whole, mutant.breaks);
    expect(tell(held), 'with its guard whole, and the same layers off').toBe('');
    expect(held.isWhole).toBe(true);
    const found = search(mutant.scenario, mutant.mutate(whole), mutant.breaks);
    seen[SEARCH_SECONDS] += (performance.now() - startedMs) / 1_000;
    seen.states += held.states + found.states;
    seen.transitions += held.transitions + found.transitions;
    expect(found.broken?.invariant).toContain(mutant.breaks);
    seen['mutants killed'] += 1;
    process.stdout.write(`\n${mutant.name}:\n${tell(found)}\n`);
  });

  it('has killed every one', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(14);
    expect(seen['mutants killed']).toBe(MUTANTS.length);
  });

  afterAll(() => reportFigures(seen));
});
