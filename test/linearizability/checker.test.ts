import { describe, expect, test } from 'vitest';
import { reportFigures } from '../harness/figures.ts';
import { checkHistory } from './checker.ts';
import type { Operation } from './history.ts';
import { GOOD_HISTORIES, RULES } from './good-histories.ts';
import { BAD_HISTORIES } from './planted-histories.ts';
import { describeViolation, shortestBadBeginning } from './report.ts';

let found = 0;

describe('the checker finds every planted history', () => {
  test.for(Object.entries(BAD_HISTORIES))('%s', ([, make]) => {
    const operations = make();
    expect(checkHistory(operations, RULES).kind).toBe('violation');
    expect(describeViolation(operations, RULES)).toContain('none of these can come next');
    found += 1;
  });

  test('none of them was left out', () => {
    expect(found).toBe(Object.keys(BAD_HISTORIES).length);
    expect(found).toBeGreaterThanOrEqual(20);
    reportFigures({ 'planted found': found });
  });
});

describe('the checker accepts what one register can have done', () => {
  test.for(Object.entries(GOOD_HISTORIES))('%s', ([, make]) => {
    const operations = make();
    const verdict = checkHistory(operations, RULES);
    expect(verdict.kind, describeViolation(operations, RULES)).toBe('linearizable');
  });
});

test('a violation is shown with the shortest beginning that has it, not with all that came after', () => {
  const [make] = Object.values(BAD_HISTORIES);
  if (make === undefined) throw new Error('There is no planted history.');
  const bad = make();
  const endMs = Math.max(...bad.map((each) => (Number.isFinite(each.returnMs) ? each.returnMs : 0)));
  const last = bad.at(-1);
  if (last === undefined) throw new Error('The planted history is empty.');
  const after: Operation[] = Array.from({ length: 50 }, (_, index) => ({
    ...last,
    id: 1_000 + index,
    invokeMs: endMs + 10 + index,
    returnMs: endMs + 10.5 + index,
  }));
  const shown = shortestBadBeginning([...bad, ...after], RULES);
  expect(shown.length).toBeLessThanOrEqual(bad.length);
  expect(checkHistory(shown, RULES).kind).toBe('violation');
});
