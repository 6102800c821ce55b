import { describe, expect, it } from 'vitest';
import type { RefusalGroup } from '../../../shared/contract/views.ts';
import { byDay, byReason, totals } from './refusal-groups.ts';

const NOON = new Date(2026, 9, 12, 12).getTime();
const DAY = 86_400_000;
const group = (change: Partial<RefusalGroup>): RefusalGroup => ({
  key: 'k',
  headline: '',
  meaning: '',
  whatToDo: '',
  needsPerson: false,
  word: 'gate',
  reason: 'already-settled',
  count: 1,
  firstAtMs: NOON,
  lastAtMs: NOON,
  agentId: '',
  agentName: '',
  isPermissionAsked: false,
  runId: null,
  runNumber: null,
  facts: [],
  ...change,
});

describe('refusals', () => {
  it('places a repeated refusal on the day of its last time, so that a fresh one is not buried', () => {
    const days = byDay(
      [group({ key: 'old', lastAtMs: NOON - DAY }), group({ key: 'new', firstAtMs: NOON - 9 * DAY })],
      NOON,
    );
    expect(days.map((day) => [day.name, day.groups.map((each) => each.key)])).toEqual([
      ['Today', ['new']],
      ['Yesterday', ['old']],
    ]);
  });

  it('counts every time, not every card', () => {
    const groups = [group({ count: 12 }), group({ count: 2, needsPerson: true, reason: 'authority-missing' })];
    expect(totals(groups)).toEqual({ all: 14, quiet: 12 });
    expect(byReason(groups)[0]?.count).toBe(12);
  });

  it('has words for a reason it does not know', () => {
    expect(byReason([group({ word: 'later', reason: 'later' })])[0]?.words).toBe('Another reason');
  });
});
