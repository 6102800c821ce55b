import { isDeepStrictEqual } from 'node:util';
import type { CoordinatorIdentity } from '../../src/shared/core/lease/lease.ts';
import { applyVerb } from '../../src/shared/core/lease/register.ts';
import type { RegisterRecord, RegisterReply } from '../../src/shared/core/lease/register.ts';
import type { Answered, Operation } from './history.ts';

/** Times are binary fractions: a difference of two of them may be this much too large, ms. */
const ROUNDING_MS = 0.001;

/** How exactly the register counts the time of a lease. */
export interface ExpiryRules {
  /** A lease never runs out before its TTL divided by this. 1 where all share one clock; 1.5 is what the protocol bears. */
  readonly rateTolerance: number;
  /** The grain of the register's clock, ms: what it reads may be this much too small. */
  readonly grainMs: number;
  /** By how much it may run out late, ms; `null` where it may be as late as it likes. */
  readonly lateMs: number | null;
}

/**
 * The register of one agent between two operations. Times are the earliest at which everything so far can have happened:
 * an expiry is possible exactly if it is possible in that schedule.
 */
export interface SpecState {
  /** Which register answered first; every later answer comes from the same one. */
  readonly coordinator: CoordinatorIdentity | null;
  readonly record: RegisterRecord | null;
  /** Nothing that follows happens before this, ms. */
  readonly floorMs: number;
  /** The lease clock was last started between these two, ms. */
  readonly startedFloorMs: number;
  readonly startedCeilingMs: number;
  /** Somebody was already told that the lease has run out: it does not come back to life. */
  readonly isExpired: boolean;
}

export const INITIAL: SpecState = {
  coordinator: null,
  record: null,
  floorMs: Number.NEGATIVE_INFINITY,
  startedFloorMs: Number.NEGATIVE_INFINITY,
  startedCeilingMs: Number.NEGATIVE_INFINITY,
  isExpired: false,
};

/** What the register would have done, had the operation taken effect now. */
export type Outcome =
  | { readonly kind: 'fits'; readonly state: SpecState }
  | { readonly kind: 'refused'; readonly reason: string };

/** Every way in which the operation can take effect now; refusals say why not, for a report. */
export function outcomesOf(state: SpecState, operation: Operation, rules: ExpiryRules): Outcome[] {
  if (operation.call.verb === 'reboot') return [{ kind: 'fits', state: afterReboot(state, operation) }];
  const isHeld = state.record !== null && state.record.holder !== null;
  if (!isHeld) return [outcomeOf(state, operation, { isLive: false, floorMs: floorOf(state, operation) })];
  const outcomes = [whenExpired(state, operation, rules)];
  if (!state.isExpired) outcomes.unshift(whenLive(state, operation, rules));
  return outcomes;
}

function floorOf(state: SpecState, operation: Operation): number {
  return Math.max(state.floorMs, operation.invokeMs);
}

function afterReboot(state: SpecState, operation: Operation): SpecState {
  const isHeld = state.record !== null && state.record.holder !== null;
  return { ...state, floorMs: floorOf(state, operation), isExpired: isHeld };
}

/** The last moment at which the lease can still have been live, ms. */
export function latestLiveMs({ record, startedCeilingMs }: SpecState, { lateMs, grainMs }: ExpiryRules): number {
  return lateMs === null ? Infinity : startedCeilingMs + (record?.ttlMs ?? 0) + grainMs + lateMs;
}

/** The lease may be live for as long as the register may be late. */
function whenLive(state: SpecState, operation: Operation, rules: ExpiryRules): Outcome {
  const floorMs = floorOf(state, operation);
  const latestMs = latestLiveMs(state, rules);
  if (floorMs > latestMs) {
    return refused(`the lease ran out ${(floorMs - latestMs).toFixed(1)} ms before, at the latest`);
  }
  return outcomeOf(state, operation, { isLive: true, floorMs });
}

/** Expiry is an internal step that is allowed once the TTL's lower bound has passed since the lease clock was started. */
function whenExpired(state: SpecState, operation: Operation, { rateTolerance, grainMs }: ExpiryRules): Outcome {
  const ttlMs = state.record?.ttlMs ?? 0;
  const earliestMs = state.isExpired
    ? Number.NEGATIVE_INFINITY
    : state.startedFloorMs + ttlMs / rateTolerance - grainMs;
  const floorMs = Math.max(floorOf(state, operation), earliestMs);
  if (floorMs > operation.returnMs) {
    return refused(`the lease cannot have run out yet, ${(floorMs - operation.returnMs).toFixed(1)} ms are missing`);
  }
  return outcomeOf(state, operation, { isLive: false, floorMs });
}

interface Moment {
  readonly isLive: boolean;
  readonly floorMs: number;
}

function outcomeOf(state: SpecState, operation: Operation, { isLive, floorMs }: Moment): Outcome {
  const { agentId, call, answer, returnMs } = operation;
  if (floorMs > returnMs) return refused('it was answered before this can have happened');
  if (call.verb === 'reboot') throw new Error('A restart of the machine is not decided by the register.');
  const step =
    call.verb === 'current'
      ? { record: state.record, reply: null, leaseClock: 'keep' as const }
      : applyVerb(state.record, call, isLive);
  const { record, leaseClock } = step;
  const isHeld = record !== null && record.holder !== null;
  const isLiveAfter = isHeld && (leaseClock === 'restart' || isLive);
  const coordinator = state.coordinator ?? answer?.view.coordinator ?? null;
  const expected = { agentId, coordinator, record, reply: step.reply, isLive: isLiveAfter };
  const differs = answer === null ? null : differenceOf(answer, expected);
  if (differs !== null) return refused(differs);
  const isRestarted = leaseClock === 'restart';
  return {
    kind: 'fits',
    state: {
      coordinator,
      record,
      floorMs,
      startedFloorMs: isRestarted ? floorMs : state.startedFloorMs,
      startedCeilingMs: Math.min(isRestarted ? Infinity : state.startedCeilingMs, returnMs),
      isExpired: isHeld && !isLiveAfter,
    },
  };
}

function refused(reason: string): Outcome {
  return { kind: 'refused', reason };
}

interface Expected {
  readonly agentId: string;
  readonly coordinator: CoordinatorIdentity | null;
  readonly record: RegisterRecord | null;
  readonly reply: RegisterReply | null;
  readonly isLive: boolean;
}

/** Compares an answer with what the register must have said, member by member; `null` when they agree. */
function differenceOf(answer: Answered, expected: Expected): string | null {
  const { record, reply, isLive } = expected;
  const parts: readonly (readonly [string, unknown, unknown])[] = [
    ['reply', answer.reply, reply],
    ['coordinator', answer.view.coordinator, expected.coordinator],
    ['epoch', answer.view.epoch, record?.epoch ?? 0],
    ['lease', answer.view.lease, leaseOf(expected)],
    ['tail', answer.view.tail, record?.tail ?? []],
    ['frontier', answer.view.frontier, record?.frontier ?? {}],
    ['lease is live', answer.view.remainingMs > 0, isLive],
  ];
  for (const [name, said, due] of parts) {
    if (!isDeepStrictEqual(said, due)) return `${name}: said ${JSON.stringify(said)}, due ${JSON.stringify(due)}`;
  }
  const { remainingMs, lease } = answer.view;
  const isPossible = remainingMs >= 0 && remainingMs <= (lease?.ttlMs ?? 0) + ROUNDING_MS;
  return isPossible ? null : `remaining: said ${remainingMs} ms of ${lease?.ttlMs ?? 0} ms`;
}

function leaseOf({ agentId, record }: Expected): object | null {
  if (record === null || record.holder === null || record.nonce === null) return null;
  const { holder, epoch, nonce, ttlMs } = record;
  return { agentId, holder, epoch, nonce, ttlMs };
}
