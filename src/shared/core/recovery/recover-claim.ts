import type { ClaimLease, ClaimOwner } from '../claim/claim-effect.ts';
import { EFFECT_OUTCOME_UNKNOWN } from '../effect/effect-outcome.ts';
import type { EffectProgress } from '../effect/effect-outcome.ts';
import { isBefore } from '../lease/clock.ts';
import type { LeaseInstant } from '../lease/clock.ts';

/** What a claim that did not finish is worth. A vanished process is not an input. */
export type RecoveryVerdict =
  | { readonly kind: 'already-completed' }
  | { readonly kind: 'held'; readonly owner: ClaimOwner; readonly leaseUntil: LeaseInstant }
  | { readonly kind: 'reclaimable'; readonly previousOwner: ClaimOwner }
  | {
      readonly kind: 'in-doubt';
      readonly previousOwner: ClaimOwner;
      readonly class: 'in-doubt';
      readonly code: typeof EFFECT_OUTCOME_UNKNOWN;
    };

/** Decides from the persisted lease clock and the persisted progress, nothing else (reference 1.5). */
export function recoverClaim(lease: ClaimLease, progress: EffectProgress, now: LeaseInstant): RecoveryVerdict {
  if (progress === 'settled') return { kind: 'already-completed' };
  if (isBefore(now, lease.leaseUntil)) return { kind: 'held', owner: lease.owner, leaseUntil: lease.leaseUntil };
  if (progress === 'never-started') return { kind: 'reclaimable', previousOwner: lease.owner };
  return { kind: 'in-doubt', previousOwner: lease.owner, class: 'in-doubt', code: EFFECT_OUTCOME_UNKNOWN };
}
