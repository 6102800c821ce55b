/** What an attempt that relied on an answer did with it. */
export interface ApprovalUse {
  readonly effectKey: string;
  /**
   * `nothing`: it provably left nothing. `something`: it left, or may have. `decided-again`: it may have left, and a person,
   * or the effect's kind, has decided since that the same effect is done again.
   */
  readonly left: 'nothing' | 'something' | 'decided-again';
}

/** A person's yes, as it was given. */
export interface GivenApproval {
  /** `false`: as the record has it now, nobody answered in time; what was done before may have relied on a yes all the same. */
  readonly isAllowed: boolean;
  readonly inputDigest: string;
  readonly deviceId: string | null;
  /** The lease of the device that was to act, when it was given; `null` if nobody wrote it down. */
  readonly epoch: number | null;
  /** Whether it was given by a standing permission, and that one has ended since. */
  readonly isStandingOver: boolean;
  readonly uses: readonly ApprovalUse[];
}

/** Who wants to rely on it, for what. */
export interface ApprovalClaim {
  readonly inputDigest: string;
  readonly effectKey: string;
  readonly deviceId: string;
  readonly epoch: number | null;
}

/** Why a yes does not count any more: the person is asked again, and nothing is sent meanwhile. */
export type StaleReason =
  | 'input-changed'
  | 'already-used'
  | 'standing-ended'
  | 'device-changed'
  | 'epoch-changed'
  /** Another device had asked the same, and its question is the newer one. */
  | 'overtaken';

export type ApprovalStanding =
  | { readonly kind: 'usable' }
  | { readonly kind: 'stale'; readonly reason: StaleReason }
  /** There is no yes. */
  | { readonly kind: 'none' };

/**
 * A yes holds for one effect with exactly the input that was shown, on the device and under the lease that it was given
 * for. An attempt that left nothing has not used it up. A decision about an unclear attempt is an answer of its own about
 * the same input: it stands across devices and leases until it is carried out.
 */
export function approvalStanding(given: GivenApproval, claim: ApprovalClaim): ApprovalStanding {
  if (given.inputDigest !== claim.inputDigest) return stale('input-changed');
  const isSpent = given.uses.some((use) => use.effectKey !== claim.effectKey || use.left === 'something');
  if (isSpent) return stale('already-used');
  if (given.uses.some((use) => use.left === 'decided-again')) return { kind: 'usable' };
  if (!given.isAllowed) return { kind: 'none' };
  if (given.isStandingOver) return stale('standing-ended');
  if (given.deviceId !== claim.deviceId) return stale('device-changed');
  if (given.epoch === null || given.epoch !== claim.epoch) return stale('epoch-changed');
  return { kind: 'usable' };
}

function stale(reason: StaleReason): ApprovalStanding {
  return { kind: 'stale', reason };
}
