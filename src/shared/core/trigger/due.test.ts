import { describe, expect, it } from 'vitest';
import { CATCH_UP_LIMIT } from '../../contract/triggers.ts';
import { CLOCK_BACK_MS, due, LATE_AFTER_MS, nextCatchUp, SAME_MISS_MS } from './due.ts';
import type { CatchUpFacts, DueDecision, DueFacts } from './due.ts';
import type { Slot } from './slots.ts';

const NOW_MS = 1_000_000_000;
const HOUR_MS = 3_600_000;

function slot(agoMs: number, name = `-${agoMs}`): Slot {
  return { slot: name, atMs: NOW_MS - agoMs };
}

function decide(changes: Partial<DueFacts>): readonly string[] {
  const facts: DueFacts = {
    policy: 'once',
    stand: 'ready',
    nowMs: NOW_MS,
    settledUpToMs: NOW_MS - 100 * HOUR_MS,
    slots: [],
    isCut: false,
    waiting: [],
    lastMissed: null,
    ...changes,
  };
  return due(facts).map(wordsOf);
}

function wordsOf(decision: DueDecision): string {
  if (decision.kind === 'clock-went-back') return decision.kind;
  if (decision.kind !== 'missed') return `${decision.kind} ${decision.slot.slot}`;
  const { slots, reason, isWaiting, isMore } = decision;
  return `${reason}: ${slots.map((each) => each.slot).join(' ')}${isWaiting ? ', waits' : ''}${isMore ? ', and more' : ''}`;
}

describe('a slot that has come', () => {
  it('is fired before its time, or left out', () => {
    expect(decide({})).toEqual([]);
    expect(decide({ slots: [slot(0)] })).toEqual(['fire -0']);
  });

  it.each(['skip', 'once', 'each'] as const)('is called late within its grace under the policy %s', (policy) => {
    expect(decide({ policy, slots: [slot(LATE_AFTER_MS)] })).toEqual([`fire -${LATE_AFTER_MS}`]);
    expect(decide({ policy, slots: [slot(LATE_AFTER_MS + 1)] })[0]).toMatch(/^device-off/u);
  });
});

describe('slots that passed while nobody could run', () => {
  const late = [slot(3 * HOUR_MS), slot(2 * HOUR_MS), slot(HOUR_MS)];
  const names = late.map((each) => each.slot).join(' ');

  it('are run under skip, or leave no line', () => {
    expect(decide({ policy: 'skip', slots: late })).toEqual([`device-off: ${names}`]);
    expect(decide({ policy: 'skip', slots: [...late, slot(0)] })).toEqual([`device-off: ${names}`, 'fire -0']);
  });

  it('are run more than once under once', () => {
    expect(decide({ slots: late })).toEqual([`device-off: ${names}, waits`]);
    expect(decide({ slots: [...late, slot(0)] })).toEqual([`covered: ${names}`, 'fire -0']);
    expect(decide({ slots: [slot(0)], waiting: [slot(HOUR_MS, 'old')] })).toEqual(['cover old', 'fire -0']);
    expect(decide({ slots: late, waiting: [slot(9 * HOUR_MS, 'old')] })).toEqual([
      'cover old',
      `device-off: ${names}, waits`,
    ]);
  });

  it('are thrown together under each, or hold up the one that is on time', () => {
    expect(decide({ policy: 'each', slots: [...late, slot(0)] })).toEqual([
      ...late.map((each) => `device-off: ${each.slot}, waits`),
      'fire -0',
    ]);
  });

  it('are caught up with without end, or the older ones vanish', () => {
    const many = Array.from({ length: CATCH_UP_LIMIT + 2 }, (_, index) => slot((500 - index) * HOUR_MS));
    const told = decide({ policy: 'each', slots: many, isCut: true });
    expect(told[0]).toBe(`too-many: ${many[0]?.slot} ${many[1]?.slot}, and more`);
    expect(told).toHaveLength(1 + CATCH_UP_LIMIT);
    const waiting = many.slice(0, CATCH_UP_LIMIT);
    expect(decide({ policy: 'each', slots: late, waiting })).toEqual([`too-many: ${names}`]);
    expect(decide({ policy: 'each', slots: late, waiting: waiting.slice(1) })).toEqual([
      `too-many: ${late[0]?.slot} ${late[1]?.slot}`,
      `device-off: ${late[2]?.slot}, waits`,
    ]);
  });
});

describe('a slot that must not fire', () => {
  it.each(['no-permission', 'paused', 'strategy-broken'] as const)('passes without a line while it is %s', (stand) => {
    expect(decide({ stand, slots: [slot(HOUR_MS), slot(0)], isCut: true })).toEqual([
      `${stand}: -${HOUR_MS} -0, and more`,
    ]);
  });

  it('writes a line each minute for the same reason, or hides behind another reason', () => {
    const told = (reason: 'no-permission' | 'paused', agoMs: number) =>
      decide({
        stand: 'no-permission',
        slots: [slot(0)],
        lastMissed: { reason, recordedAtMs: NOW_MS - agoMs },
      });
    expect(told('no-permission', SAME_MISS_MS - 1)).toEqual([]);
    expect(told('no-permission', SAME_MISS_MS)).toEqual(['no-permission: -0']);
    expect(told('no-permission', -SAME_MISS_MS)).toEqual(['no-permission: -0']);
    expect(told('paused', 0)).toEqual(['no-permission: -0']);
  });
});

describe('a calendar that was set back', () => {
  it('silences a schedule for a year', () => {
    expect(decide({ settledUpToMs: NOW_MS + CLOCK_BACK_MS + 1 })).toEqual(['clock-went-back']);
    expect(decide({ settledUpToMs: NOW_MS + CLOCK_BACK_MS })).toEqual([]);
  });
});

describe('catching up', () => {
  const next = (changes: Partial<CatchUpFacts>) =>
    nextCatchUp({
      stand: 'ready',
      nowMs: NOW_MS,
      waiting: [slot(2 * HOUR_MS), slot(HOUR_MS)],
      isOwnRunOpen: false,
      isOtherRunActive: false,
      ...changes,
    })?.slot ?? null;

  it('starts with the newest, or with what is not due', () => {
    expect(next({})).toBe(`-${2 * HOUR_MS}`);
    expect(next({ waiting: [] })).toBeNull();
    expect(next({ waiting: [slot(-1), slot(0)] })).toBe('-0');
  });

  it('starts all at once, or while it may not', () => {
    expect(next({ isOwnRunOpen: true })).toBeNull();
    expect(next({ isOtherRunActive: true })).toBeNull();
    expect(next({ stand: 'no-permission' })).toBeNull();
  });
});

it('a policy of a later version fires something', () => {
  expect(() => decide({ policy: 'twice' as 'once', slots: [slot(0)] })).toThrow('twice');
});
