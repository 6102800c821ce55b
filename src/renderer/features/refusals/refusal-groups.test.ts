import { describe, expect, it } from 'vitest';
import type { RefusalGroup } from '../../../shared/contract/refusal-views.ts';
import { isNarrowed, NO_FILTERS, refusalsRequest } from './refusal-filters.ts';
import { byDay, byReason, needing } from './refusal-groups.ts';

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
  deviceName: null,
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

  it('count a card once that stands for many times', () => {
    expect(needing([group({ count: 12 }), group({ count: 2, needsPerson: true })])).toBe(2);
  });

  it('list a reason twice that has one name for two checks, or none that they do not know', () => {
    const reasons = [
      { word: 'fence', reason: 'lease-doubtful', count: 2 },
      { word: 'later', reason: 'later', count: 3 },
      { word: 'fence', reason: 'suspended', count: 2 },
    ];
    expect(byReason(reasons)).toEqual([
      { words: 'A device had just woken', count: 4 },
      { words: 'Another reason', count: 3 },
    ]);
  });

  it('ask for what nobody chose, or leave out what somebody did', () => {
    expect(isNarrowed(NO_FILTERS)).toBe(false);
    expect(refusalsRequest(NO_FILTERS, NOON)).toEqual({});
    const filters = { agentId: 'a', deviceId: 'd', time: { kind: 'today' } } as const;
    expect(isNarrowed(filters)).toBe(true);
    const sinceMs = new Date(2026, 9, 12).getTime();
    expect(refusalsRequest(filters, NOON)).toEqual({ agentId: 'a', deviceId: 'd', sinceMs });
  });
});
