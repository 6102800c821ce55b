import { afterAll, describe, expect, it } from 'vitest';
import { reportFigures } from '../harness/figures.ts';
import { REAL_RULES } from './rules.ts';
import { search } from './search.ts';
import type { Found } from './search.ts';
import type { Scenario } from './state.ts';

/** Told, and never asserted: a machine with much to do is slow. The suite's line has the states per second beside it. */
export const SEARCH_SECONDS = 'seconds of search';

/** A counterexample as a person reads it: one line for each step, then what broke. */
export function tell(found: Found): string {
  if (found.broken === null) return '';
  const steps = found.broken.steps.map((step, index) => `  ${index + 1}. ${step}`);
  return [...steps, `  => ${found.broken.invariant}`].join('\n');
}

/** One test for each world: the product as it is breaks nothing in it. `floor`: the fewest states that count as a look. */
export function provesWorlds(title: string, worlds: readonly Scenario[], floor: number): void {
  describe(title, () => {
    const seen = { states: 0, transitions: 0, worlds: 0, 'worlds seen whole': 0, violations: 0, [SEARCH_SECONDS]: 0 };
    it.each(worlds)('breaks no invariant: $name', (world) => {
      const startedMs = performance.now();
      const found = search(world, REAL_RULES);
      seen[SEARCH_SECONDS] += (performance.now() - startedMs) / 1_000;
      seen.states += found.states;
      seen.transitions += found.transitions;
      seen.worlds += 1;
      seen['worlds seen whole'] += found.isWhole ? 1 : 0;
      seen.violations += found.broken === null ? 0 : 1;
      expect(tell(found)).toBe('');
    });
    it('has seen enough states to mean anything', () => {
      expect(seen.worlds).toBe(worlds.length);
      expect(seen.states).toBeGreaterThanOrEqual(floor);
    });
    afterAll(() => reportFigures(seen));
  });
}
