import { describe, expect, it } from 'vitest';
import { RUNS_CHOSEN_MAX } from '../../../shared/contract/run-views.ts';
import type { RunRow } from '../../../shared/contract/views.ts';
import { NO_CHOICE, allOf, stoppingOf, stretchBetween, stretched, toggled, without } from './run-choice.ts';

const chosen = (choice: { ids: ReadonlySet<string> }): string[] => [...choice.ids];
const many = Array.from({ length: RUNS_CHOSEN_MAX + 1 }, (_, index) => `run-${index}`);

describe('choosing runs', () => {
  it('chooses a run twice, or cannot let go of it', () => {
    const one = toggled(NO_CHOICE, 'a');
    expect(chosen(one)).toEqual(['a']);
    expect(chosen(toggled(one, 'a'))).toEqual([]);
  });

  it('keeps rows of a stretch that was taken back, or loses what was chosen before it', () => {
    const before = toggled(toggled(NO_CHOICE, 'x'), 'b');
    const long = stretched(before, 'b', ['b', 'c', 'd']);
    expect(chosen(long)).toEqual(['x', 'b', 'c', 'd']);
    expect(chosen(stretched(long, 'b', ['b', 'c']))).toEqual(['x', 'b', 'c']);
    expect(chosen(stretched(NO_CHOICE, 'b', ['b', 'c']))).toEqual(['b', 'c']);
    expect(stretchBetween(7, 4)).toEqual({ first: 4, count: 4 });
  });

  it('chooses more than can be asked for at a time, or keeps silent about it', () => {
    const all = allOf(many, many.length);
    expect(all.ids.size).toBe(RUNS_CHOSEN_MAX);
    expect(all.isCut).toBe(true);
    expect(allOf(['a'], 1).isCut).toBe(false);
    // The host answers with a page of them.
    expect(allOf(many.slice(1), 9_000).isCut).toBe(true);
    expect(toggled(all, 'one more').ids.size).toBe(RUNS_CHOSEN_MAX);
  });

  it('leaves a run chosen that was dealt with', () => {
    expect(chosen(without(allOf(['a', 'b'], 2), new Set(['a'])))).toEqual(['b']);
  });
});

describe('stopping the chosen runs', () => {
  const row = (status: RunRow['status'], endedAtMs: number | null): RunRow =>
    ({ runId: status, status, endedAtMs }) as RunRow;

  it('asks runs to stop that have ended, or hides what is on its way', () => {
    expect(
      stoppingOf([
        row('running-here', null),
        row('running-elsewhere', null),
        row('needs-recovery', null),
        row('refused', null),
        row('done', 5),
        row('missed', null),
      ]),
    ).toEqual({
      openIds: ['running-here', 'running-elsewhere', 'needs-recovery', 'refused'],
      working: 2,
      unclear: 1,
      elsewhere: 1,
      ended: 2,
    });
  });
});
