import type { AgentId } from '../../contract/identifiers.ts';
import { safeElapsed } from './clock.ts';
import type { ClockReading } from './clock.ts';
import { CLOCK_RATE_TOLERANCE, HOLD_OFF_MS, LEASE_RENEW_SHARE } from './lease.ts';

/** What a device remembers about a lease it was granted. It lives in memory only: a restarted host is a stranger. */
export interface HeldLease {
  readonly agentId: AgentId;
  readonly epoch: number;
  readonly nonce: string;
  readonly ttlMs: number;
  /** When the request that was last confirmed had been *sent* (rule 2). */
  readonly sentAt: ClockReading;
  /** When the grant arrived, if the hold-off of an unclean takeover has to be waited for (rule 5); else `null`. */
  readonly holdOffFrom: ClockReading | null;
  /** A suspend event, or clocks that disagreed, since the last confirmation (rule 1). */
  readonly isDoubtful: boolean;
}

/** How far a device may trust its own lease at one moment. */
export type LeaseStanding =
  | { readonly kind: 'live'; readonly remainingMs: number }
  | { readonly kind: 'hold-off'; readonly remainingMs: number }
  | { readonly kind: 'expired' }
  | { readonly kind: 'doubtful'; readonly reason: 'clocks-disagree' | 'suspended' };

/** How long after the send a device may act on its lease, ms: D = t_sent + T / r (rule 2). */
export function localTermMs(ttlMs: number): number {
  return Math.floor(ttlMs / CLOCK_RATE_TOLERANCE);
}

/** Judges a held lease by the safe clock. Only `live` lets an effect go on. */
export function leaseStanding(held: HeldLease, now: ClockReading): LeaseStanding {
  if (held.isDoubtful) return { kind: 'doubtful', reason: 'suspended' };
  const sinceSend = safeElapsed(held.sentAt, now);
  if (sinceSend.isDoubtful) return { kind: 'doubtful', reason: 'clocks-disagree' };
  const remainingMs = localTermMs(held.ttlMs) - sinceSend.elapsedMs;
  if (remainingMs <= 0) return { kind: 'expired' };
  const waitMs = holdOffRemainingMs(held, now);
  if (waitMs > 0) return { kind: 'hold-off', remainingMs: waitMs };
  return { kind: 'live', remainingMs };
}

/**
 * What is left of the hold-off, ms. It must not end early, so here the *slowest* clock counts: a lease deadline fears a
 * clock that stood still, a waiting time fears one that jumped.
 */
export function holdOffRemainingMs(held: HeldLease, now: ClockReading): number {
  const from = held.holdOffFrom;
  if (from === null) return 0;
  const passedMs = Math.min(now.bootMs - from.bootMs, now.monotonicMs - from.monotonicMs);
  return Math.max(0, HOLD_OFF_MS - passedMs);
}

/** True once a third of the TTL has passed since the last confirmed send, or when the lease is in doubt. */
export function isRenewalDue(held: HeldLease, now: ClockReading): boolean {
  const { elapsedMs, isDoubtful } = safeElapsed(held.sentAt, now);
  return held.isDoubtful || isDoubtful || elapsedMs >= held.ttlMs * LEASE_RENEW_SHARE;
}

/**
 * Whether a right to act that nobody needs is given back now: a third of its term after the last need of it, `mostMs` at most,
 * and in any case while it can still be given back. One that ran out instead costs the next device the hold-off (rule 5).
 */
export function isIdleLeaseOver(
  held: HeldLease,
  of: { readonly idleMs: number; readonly mostMs: number; readonly spareMs: number; readonly now: ClockReading },
): boolean {
  const remainingMs = localTermMs(held.ttlMs) - safeElapsed(held.sentAt, of.now).elapsedMs;
  return of.idleMs >= Math.min(of.mostMs, held.ttlMs * LEASE_RENEW_SHARE) || remainingMs <= of.spareMs;
}

/** A confirmed renewal of the same epoch moves the deadline forward and clears any doubt; nothing else does. */
export function renewHeldLease(held: HeldLease, sentAt: ClockReading): HeldLease {
  return { ...held, sentAt, isDoubtful: false };
}
