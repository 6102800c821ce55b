import { isSameAttempt, isSameEffect } from '../../contract/identifiers.ts';
import type { CoordinatorIdentity } from './lease.ts';
import { ownMember } from '../../lib/own-member.ts';
import type { RegisterRecord, RegisterStep, RegisterVerb, TailEntry } from './register.ts';
import { holds, lost, refuse } from './register-step.ts';
import { TAIL_LENGTH_LIMIT, tailFill } from './tail.ts';

/** By how much a bump raises an epoch: above whatever was granted between the backup and its loss, seen here or not. */
export const EPOCH_BUMP = 2 ** 20;

/** After a restore: above everything that was ever seen, with nobody holding it and the hold-off still to come (rule 7). */
export function bump(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'bump' }>): RegisterStep {
  if (record.movedTo !== undefined) return refuse(record, { kind: 'moved', to: record.movedTo });
  if (record.epoch !== verb.seenEpoch) {
    return refuse(record, { kind: 'seen-otherwise', holder: record.holder, epoch: record.epoch });
  }
  const epoch = Math.max(record.epoch, verb.aboveEpoch) + EPOCH_BUMP;
  return {
    record: { ...record, epoch, holder: null, nonce: null, isUnclean: true },
    reply: { kind: 'bumped', epoch },
    leaseClock: 'end',
  };
}

/** The holder gives the agent to another register. From then on this one grants it to nobody, so nobody acts twice. */
export function retire(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'retire' }>): RegisterStep {
  const { movedTo, epoch } = record;
  if (movedTo !== undefined) {
    // Asked again after an answer that got lost; whoever finishes the move needs the same facts.
    return refuse(
      record,
      isLifeOf(movedTo, verb.to)
        ? { kind: 'retired', epoch, isUnclean: record.isUnclean }
        : { kind: 'moved', to: movedTo },
    );
  }
  if (!holds(record, verb)) return refuse(record, lost(record));
  if (verb.pendingClaims > 0) return refuse(record, { kind: 'claims-pending', pendingClaims: verb.pendingClaims });
  const isUnclean = record.isUnclean && !verb.isHoldOffOver;
  return {
    record: { ...record, holder: null, nonce: null, isUnclean, movedTo: verb.to },
    reply: { kind: 'retired', epoch, isUnclean },
    leaseClock: 'end',
  };
}

/**
 * Takes an agent in, with everything that was announced for it. Where it was held here before, both pasts are kept: the
 * epoch rises above both. The same taking-in again changes nothing, whoever holds the agent by now.
 */
export function adopt(
  record: RegisterRecord,
  { source, from }: Extract<RegisterVerb, { verb: 'adopt' }>,
  isLive: boolean,
): RegisterStep {
  const adopted = record.adopted ?? [];
  if (adopted.some((one) => isLifeOf(one, source) && one.epoch === from.epoch)) {
    return refuse(record, { kind: 'adopted', epoch: record.epoch, isReplay: true });
  }
  if (record.holder !== null && isLive) {
    return refuse(record, { kind: 'held', holder: record.holder, epoch: record.epoch });
  }
  const tail = mergedTail(record.tail, from.tail);
  if (tail.length > TAIL_LENGTH_LIMIT) return refuse(record, { kind: 'tail-full', ...tailFill(tail) });
  const { movedTo: _, ...kept } = record;
  const epoch = Math.max(record.epoch, from.epoch) + 1;
  const isByPerson = record.takeover === 'by-person' || from.takeover === 'by-person';
  return {
    record: {
      ...kept,
      epoch,
      holder: null,
      nonce: null,
      isUnclean: record.holder !== null || record.isUnclean || from.isUnclean,
      tail,
      frontier: mergedFrontier(record.frontier, from.frontier),
      ...(isByPerson ? { takeover: 'by-person' } : {}),
      adopted: [...adopted.filter((one) => !isLifeOf(one, source)), { ...lifeOf(source), epoch: from.epoch }],
    },
    reply: { kind: 'adopted', epoch, isReplay: false },
    leaseClock: 'end',
  };
}

/** Its name and nothing else: a record is read back strictly. */
function lifeOf({ coordinatorId, incarnation }: CoordinatorIdentity): CoordinatorIdentity {
  return { coordinatorId, incarnation };
}

function isLifeOf(one: CoordinatorIdentity, other: CoordinatorIdentity): boolean {
  return one.coordinatorId === other.coordinatorId && one.incarnation === other.incarnation;
}

/**
 * What both name stands once: as it was settled, if either of the two knows that. Of one effect the newer entry comes last, since
 * that is the one that stands (`standingEntry`): a register that an agent comes back to still has what was followed elsewhere.
 */
function mergedTail(own: readonly TailEntry[], moved: readonly TailEntry[]): TailEntry[] {
  const isSame = (one: TailEntry) => (other: TailEntry) => isSameAttempt(one, other);
  const known = moved.map((entry) => (entry.status === 'open' ? (own.find(isSame(entry)) ?? entry) : entry));
  const merged = [...known];
  for (const entry of own) {
    if (moved.some(isSame(entry))) continue;
    const at = merged.findIndex((each) => known.includes(each) && isFollowedBy(entry, each));
    merged.splice(at === -1 ? merged.length : at, 0, entry);
  }
  return merged;
}

/** Under one grant, what happened is what came of it all: a repeat ends there. */
function isFollowedBy(own: TailEntry, moved: TailEntry): boolean {
  if (!isSameEffect(own.effect, moved.effect)) return false;
  if (own.epoch !== moved.epoch) return own.epoch < moved.epoch;
  return own.status !== 'committed' || moved.status === 'committed';
}

function mergedFrontier(
  own: RegisterRecord['frontier'],
  moved: RegisterRecord['frontier'],
): RegisterRecord['frontier'] {
  const reached = Object.entries(moved).map(([deviceId, seq]) => [
    deviceId,
    Math.max(seq, ownMember(own, deviceId) ?? 0),
  ]);
  return { ...own, ...Object.fromEntries(reached) };
}
