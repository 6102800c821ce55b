import type { DeviceId } from '../../contract/identifiers.ts';
import { ownMember } from '../../lib/own-member.ts';
import type { LeaseStanding } from '../lease/held-lease.ts';
import type { CoordinatorIdentity, RegisterView } from '../lease/lease.ts';
import type { TailEntry } from '../lease/register.ts';

/** The last check before an effect. Only `proceed` authorises it. */
export type FenceDecision =
  | { readonly kind: 'already-committed'; readonly committedOpId: string }
  | { readonly kind: 'not-held'; readonly claimedEpoch: number }
  | {
      readonly kind: 'stale-epoch';
      readonly claimedEpoch: number;
      readonly currentEpoch: number;
      readonly currentHolder: DeviceId;
    }
  | { readonly kind: 'other-coordinator'; readonly expected: CoordinatorIdentity; readonly found: CoordinatorIdentity }
  | { readonly kind: 'behind'; readonly deviceId: string; readonly neededSeq: number; readonly foldedSeq: number }
  | { readonly kind: 'in-doubt'; readonly entry: TailEntry }
  | { readonly kind: 'lease-doubtful'; readonly standing: LeaseStanding['kind'] }
  | { readonly kind: 'hold-off'; readonly remainingMs: number }
  | { readonly kind: 'proceed' };

/** The facts the fence looks at: the oracle first, then one linearizable read of the register, then this device. */
export interface FenceFacts {
  /** The operation that committed this effect (or the whole run), on any device, ever; `null` if none did. */
  readonly committedOpId: string | null;
  readonly deviceId: DeviceId;
  readonly claimedEpoch: number;
  readonly register: Pick<RegisterView, 'lease' | 'coordinator' | 'frontier'>;
  /** The coordinator this agent belongs to. */
  readonly coordinator: CoordinatorIdentity;
  /** Per device: how far its journal is folded here. */
  readonly folded: Readonly<Record<string, number>>;
  /** An entry of the tail for the same effect by another attempt, unless a decision or the effect's kind covers it. */
  readonly blockingEntry: TailEntry | null;
  readonly standing: LeaseStanding;
}

/** Fixed order, first match wins (protocol section 3; reference: dispatch fence, 2.1). */
export function checkDispatch(facts: FenceFacts): FenceDecision {
  if (facts.committedOpId !== null) return { kind: 'already-committed', committedOpId: facts.committedOpId };
  const { lease } = facts.register;
  const { claimedEpoch } = facts;
  if (lease === null) return { kind: 'not-held', claimedEpoch };
  // Equality, not order: an epoch above the register's is forged, or the register has lost its counter.
  if (lease.epoch !== claimedEpoch || lease.holder !== facts.deviceId) {
    return { kind: 'stale-epoch', claimedEpoch, currentEpoch: lease.epoch, currentHolder: lease.holder };
  }
  const found = facts.register.coordinator;
  if (!isSameCoordinator(facts.coordinator, found)) {
    return { kind: 'other-coordinator', expected: facts.coordinator, found };
  }
  return findBehind(facts) ?? checkOwnSide(facts);
}

function isSameCoordinator(one: CoordinatorIdentity, other: CoordinatorIdentity): boolean {
  return one.coordinatorId === other.coordinatorId && one.incarnation === other.incarnation;
}

/** A holder whose fold lacks a part of somebody's journal below the frontier may not act yet. */
function findBehind(facts: FenceFacts): FenceDecision | null {
  for (const [deviceId, neededSeq] of Object.entries(facts.register.frontier)) {
    const foldedSeq = ownMember(facts.folded, deviceId) ?? 0;
    if (foldedSeq < neededSeq) return { kind: 'behind', deviceId, neededSeq, foldedSeq };
  }
  return null;
}

function checkOwnSide(facts: FenceFacts): FenceDecision {
  const { blockingEntry, standing } = facts;
  if (blockingEntry !== null) {
    if (blockingEntry.status === 'committed' && blockingEntry.opId !== null) {
      return { kind: 'already-committed', committedOpId: blockingEntry.opId };
    }
    return { kind: 'in-doubt', entry: blockingEntry };
  }
  if (standing.kind === 'hold-off') return { kind: 'hold-off', remainingMs: standing.remainingMs };
  if (standing.kind !== 'live') return { kind: 'lease-doubtful', standing: standing.kind };
  return { kind: 'proceed' };
}
