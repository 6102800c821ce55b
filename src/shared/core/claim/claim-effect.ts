import { isSameAttempt } from '../../contract/identifiers.ts';
import type { AttemptIdentity, DeviceId } from '../../contract/identifiers.ts';
import type { EffectProgress } from '../effect/effect-outcome.ts';
import { isBefore } from '../lease/clock.ts';
import type { LeaseInstant } from '../lease/clock.ts';

/** Who holds a claim: one start of one host on one device, under one epoch. */
export interface ClaimOwner {
  readonly deviceId: DeviceId;
  /** Made anew at every start, so that a restarted host is a stranger to its predecessor. */
  readonly hostId: string;
  readonly epoch: number;
}

/** The right to perform one attempt. */
export interface ClaimLease extends AttemptIdentity {
  readonly owner: ClaimOwner;
  /** The moment from which the attempt may no longer start, and is no longer held. */
  readonly leaseUntil: LeaseInstant;
}

/** What comes of asking for a claim; only `granted` gives one. */
export type ClaimVerdict =
  | { readonly kind: 'identity-conflict' }
  | { readonly kind: 'invalid-lease' }
  | { readonly kind: 'already-settled' }
  | { readonly kind: 'held'; readonly owner: ClaimOwner; readonly leaseUntil: LeaseInstant }
  | { readonly kind: 'reclaimable'; readonly previousOwner: ClaimOwner }
  | { readonly kind: 'in-doubt'; readonly previousOwner: ClaimOwner | null }
  | { readonly kind: 'granted'; readonly lease: ClaimLease };

/** The facts a claim is decided on. */
export interface ClaimFacts {
  readonly attempt: AttemptIdentity;
  readonly existing: ClaimLease | null;
  readonly progress: EffectProgress;
  readonly owner: ClaimOwner;
  readonly now: LeaseInstant;
  readonly leaseUntil: LeaseInstant;
}

/** Field-by-field equality of owners. */
export function isSameOwner(one: ClaimOwner, other: ClaimOwner): boolean {
  return one.deviceId === other.deviceId && one.hostId === other.hostId && one.epoch === other.epoch;
}

/**
 * Decides a claim. It never grants over somebody else's lease: after `reclaimable` the caller takes a second, durable
 * step. In flight without a lease row is in doubt, never granted (protocol section 3; reference 1.4).
 */
export function claimEffect(facts: ClaimFacts): ClaimVerdict {
  const { attempt, existing, progress, owner, now, leaseUntil } = facts;
  if (existing !== null && !isSameAttempt(existing, attempt)) return { kind: 'identity-conflict' };
  if (!isBefore(now, leaseUntil)) return { kind: 'invalid-lease' };
  if (progress === 'settled') return { kind: 'already-settled' };
  if (existing === null) {
    if (progress === 'in-flight') return { kind: 'in-doubt', previousOwner: null };
    const { effect, attemptToken } = attempt;
    return { kind: 'granted', lease: { effect, attemptToken, owner, leaseUntil } };
  }
  if (isBefore(now, existing.leaseUntil)) {
    if (isSameOwner(existing.owner, owner)) return { kind: 'granted', lease: existing };
    return { kind: 'held', owner: existing.owner, leaseUntil: existing.leaseUntil };
  }
  if (progress === 'never-started') return { kind: 'reclaimable', previousOwner: existing.owner };
  return { kind: 'in-doubt', previousOwner: existing.owner };
}
