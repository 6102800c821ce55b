import { isSameAttempt } from '../../contract/identifiers.ts';
import type { AttemptIdentity } from '../../contract/identifiers.ts';
import { isSameOwner } from '../claim/claim-effect.ts';
import type { ClaimLease, ClaimOwner } from '../claim/claim-effect.ts';
import type { EffectProgress } from '../effect/effect-outcome.ts';

/** What the executor of an attempt reports. */
export interface EffectCompletion extends AttemptIdentity {
  readonly owner: ClaimOwner;
  /** Digest of the outcome and its output. */
  readonly outputDigest: string;
}

/** What becomes of a report; only `accepted` changes anything, `late-evidence` is kept beside the decision. */
export type CompletionVerdict =
  | { readonly kind: 'rejected-stale-owner' }
  | { readonly kind: 'rejected-never-started' }
  | { readonly kind: 'late-evidence' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'rejected-conflict' }
  | { readonly kind: 'accepted' };

/** The facts a settlement is decided on. */
export interface SettleFacts {
  readonly lease: ClaimLease;
  readonly progress: EffectProgress;
  readonly recordedOutputDigest: string | null;
  /** The attempt was found in doubt, or a person has decided about it: a late result never flips that. */
  readonly isInDoubt: boolean;
  readonly completion: EffectCompletion;
}

/**
 * Settles by the persisted claim alone: an owner whose lease lapsed still settles its own attempt, as long as the claim
 * names it and nobody has found it in doubt (protocol section 3; reference 1.6).
 */
export function settleEffect(facts: SettleFacts): CompletionVerdict {
  const { lease, progress, recordedOutputDigest, completion } = facts;
  if (!isSameAttempt(lease, completion) || !isSameOwner(lease.owner, completion.owner)) {
    return { kind: 'rejected-stale-owner' };
  }
  if (progress === 'settled') {
    const isSame = recordedOutputDigest !== null && recordedOutputDigest === completion.outputDigest;
    if (isSame) return { kind: 'duplicate' };
    return facts.isInDoubt ? { kind: 'late-evidence' } : { kind: 'rejected-conflict' };
  }
  if (progress === 'never-started') return { kind: 'rejected-never-started' };
  return facts.isInDoubt ? { kind: 'late-evidence' } : { kind: 'accepted' };
}
