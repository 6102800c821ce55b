import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { checkHistory } from './checker.ts';
import { RULES } from './good-histories.ts';
import { CORRUPTIONS, randomHistory } from './random-history.ts';
import { describeViolation } from './report.ts';

const seed = fc.integer({ min: 1, max: 1_000_000_000 });
const size = fc.integer({ min: 10, max: 80 });

describe('random histories of a true register', () => {
  test('are accepted, however their operations overlap and whatever is lost or late', () => {
    fc.assert(
      fc.property(seed, size, (from, length) => {
        const { operations } = randomHistory(from, length);
        const verdict = checkHistory(operations, RULES);
        if (verdict.kind !== 'linearizable') throw new Error(describeViolation(operations, RULES));
      }),
      { numRuns: scaled(400, 20_000), seed: 20_261_130 },
    );
  });

  test('as long as those of real clients are judged in about one state for each operation', () => {
    let states = 0;
    for (let from = 1; from <= 10; from += 1) {
      const verdict = checkHistory(randomHistory(from, 400).operations, RULES);
      expect(verdict.kind).toBe('linearizable');
      states += verdict.states;
    }
    expect(states).toBeLessThan(10 * 400 * 2);
  });
});

describe('one bent answer in a random history is found', () => {
  test.for(Object.entries(CORRUPTIONS))('%s', ([, corrupt]) => {
    let bent = 0;
    fc.assert(
      fc.property(seed, size, fc.nat(), (from, length, choice) => {
        const history = randomHistory(from, length);
        const fitting = history.operations.flatMap((operation) => {
          const answer = operation.answer === null ? null : corrupt(history, operation, operation.answer);
          return answer === null ? [] : [{ ...operation, answer }];
        });
        const bend = fitting[choice % fitting.length];
        if (bend === undefined) return;
        bent += 1;
        const operations = history.operations.map((operation) => (operation.id === bend.id ? bend : operation));
        expect(checkHistory(operations, RULES).kind, `operation ${bend.id}`).toBe('violation');
      }),
      { numRuns: scaled(60, 2_000), seed: 20_261_201 },
    );
    expect(bent).toBeGreaterThan(15);
    reportFigures({ 'planted found': bent });
  });
});
