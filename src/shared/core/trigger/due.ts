import { CATCH_UP_LIMIT } from '../../contract/triggers.ts';
import type { Schedule } from '../../contract/triggers.ts';
import { assertNever } from '../../lib/assert-never.ts';
import type { MissedReason } from './missed.ts';
import type { Slot } from './slots.ts';

/** After this a slot is late, and what happens to it is the schedule's policy, ms. */
export const LATE_AFTER_MS = 60_000;
/** A last slot that lies so far in the future means that the calendar was set back, ms. A smaller step is waited out. */
export const CLOCK_BACK_MS = 3_600_000;
/** Slots that are missed for one lasting reason are written down together, at most so often, ms. */
export const SAME_MISS_MS = 3_600_000;

/** Whether a trigger may start a run now, and if not, why. */
export type TriggerStand = 'ready' | 'no-permission' | 'paused' | 'strategy-broken';

/** What is known about one schedule. */
export interface DueFacts {
  readonly policy: Schedule['missed'];
  readonly stand: TriggerStand;
  readonly nowMs: number;
  /** Every slot up to this moment has been fired or written down as missed. Durable. */
  readonly settledUpToMs: number;
  /** The slots after that, up to now, oldest first. */
  readonly slots: readonly Slot[];
  /** Whether there are older ones than these. */
  readonly isCut: boolean;
  /** Missed slots that wait for their turn. */
  readonly waiting: readonly Slot[];
  /** The last slots that were written down as missed. */
  readonly lastMissed: { readonly reason: MissedReason; readonly recordedAtMs: number } | null;
}

/** What to do about a schedule, to be done in this order. */
export type DueDecision =
  | { readonly kind: 'fire'; readonly slot: Slot }
  | {
      readonly kind: 'missed';
      /** At least one, oldest first. They become one line in the record. */
      readonly slots: readonly Slot[];
      readonly isMore: boolean;
      readonly reason: MissedReason;
      /** The newest of them is caught up with when its turn comes. */
      readonly isWaiting: boolean;
    }
  /** A waiting slot is given up, because a newer one makes up for it. */
  | { readonly kind: 'cover'; readonly slot: Slot }
  /** Everything from now on counts again. What has a run already does not get a second one: its run is named after it. */
  | { readonly kind: 'clock-went-back' };

/** Decides about every slot that has come since the last one was settled. A slot is fired, or it leaves a line. */
export function due(facts: DueFacts): readonly DueDecision[] {
  const { nowMs, settledUpToMs, slots, stand, isCut } = facts;
  if (settledUpToMs - nowMs > CLOCK_BACK_MS) return [{ kind: 'clock-went-back' }];
  if (slots.length === 0) return [];
  if (stand !== 'ready') {
    return isToldAlready(facts, stand)
      ? []
      : [{ kind: 'missed', slots, isMore: isCut, reason: stand, isWaiting: false }];
  }
  const late = slots.filter((slot) => nowMs - slot.atMs > LATE_AFTER_MS);
  const fires = slots.slice(late.length).map((slot): DueDecision => ({ kind: 'fire', slot }));
  return [...missedSlots(facts, late, fires.length > 0), ...fires];
}

function isToldAlready({ lastMissed, nowMs }: DueFacts, stand: MissedReason): boolean {
  return lastMissed?.reason === stand && Math.abs(nowMs - lastMissed.recordedAtMs) < SAME_MISS_MS;
}

function missedSlots(facts: DueFacts, late: readonly Slot[], isOneOnTime: boolean): readonly DueDecision[] {
  const { policy, isCut, waiting } = facts;
  const together = (reason: MissedReason, isWaiting: boolean): DueDecision[] =>
    late.length === 0 ? [] : [{ kind: 'missed', slots: late, isMore: isCut, reason, isWaiting }];
  switch (policy) {
    case 'skip':
      return together('device-off', false);
    case 'once': {
      // The newest run makes up for everything before it, also for what still waits.
      const covered = waiting.map((slot): DueDecision => ({ kind: 'cover', slot }));
      return [...covered, ...(isOneOnTime ? together('covered', false) : together('device-off', true))];
    }
    case 'each': {
      const left = Math.max(0, late.length - Math.max(0, CATCH_UP_LIMIT - waiting.length));
      const older: DueDecision[] =
        left === 0
          ? []
          : [{ kind: 'missed', slots: late.slice(0, left), isMore: isCut, reason: 'too-many', isWaiting: false }];
      const caughtUp = late.slice(left).map((slot): DueDecision => {
        return { kind: 'missed', slots: [slot], isMore: false, reason: 'device-off', isWaiting: true };
      });
      return [...older, ...caughtUp];
    }
    default:
      return assertNever(policy);
  }
}

/** What is known about the slots of one schedule that wait to be caught up with. */
export interface CatchUpFacts {
  readonly stand: TriggerStand;
  readonly nowMs: number;
  /** Oldest first. */
  readonly waiting: readonly Slot[];
  /** A run of this schedule that caught up with an earlier slot has not ended. */
  readonly isOwnRunOpen: boolean;
  /** A run that catches up for another schedule is at work. One that waits for a person holds nobody up. */
  readonly isOtherRunActive: boolean;
}

/**
 * The missed slot to start now, if any: one at a time, never all at once. A slot in the future was missed by a calendar that
 * was ahead, and is not due.
 */
export function nextCatchUp(facts: CatchUpFacts): Slot | null {
  if (facts.stand !== 'ready' || facts.isOwnRunOpen || facts.isOtherRunActive) return null;
  return facts.waiting.find((slot) => slot.atMs <= facts.nowMs) ?? null;
}
