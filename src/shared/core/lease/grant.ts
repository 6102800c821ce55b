import type { RegisterRecord, RegisterStep, RegisterVerb } from './register.ts';
import { holds, lost, refuse } from './register-step.ts';

type Grant = Extract<RegisterVerb, { verb: 'acquire' | 'take-over' }>;

/** Asks for the agent: granted when it is free or its lease has run out (protocol section 5, rules 3, 4, 5 and 12). */
export function acquire(
  record: RegisterRecord,
  verb: Extract<RegisterVerb, { verb: 'acquire' }>,
  isLive: boolean,
): RegisterStep {
  if (record.movedTo !== undefined) return refuse(record, { kind: 'moved', to: record.movedTo });
  if (isGrantOf(record, verb)) return repeated(record);
  const { holder, epoch } = record;
  if (holder !== null && isLive) return refuse(record, { kind: 'held', holder, epoch });
  // A host that starts again on the device that held it takes nothing over from anybody.
  if (holder !== null && record.takeover === 'by-person' && holder !== verb.deviceId) {
    return refuse(record, { kind: 'waits-for-person', holder, epoch });
  }
  return granted(record, verb);
}

/** A person takes it from whoever holds it. What they were shown has to be so still, and the hold-off is never let off. */
export function takeOver(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'take-over' }>): RegisterStep {
  if (record.movedTo !== undefined) return refuse(record, { kind: 'moved', to: record.movedTo });
  if (isGrantOf(record, verb)) return repeated(record);
  if (record.epoch !== verb.seenEpoch) {
    return refuse(record, { kind: 'seen-otherwise', holder: record.holder, epoch: record.epoch });
  }
  return granted(record, verb);
}

/** Keeps a live grant alive; a lease that ran out is lost, even if nobody has taken over. */
export function renew(
  record: RegisterRecord,
  verb: Extract<RegisterVerb, { verb: 'renew' }>,
  isLive: boolean,
): RegisterStep {
  if (!holds(record, verb) || record.nonce !== verb.nonce || !isLive) return refuse(record, lost(record));
  return { record, reply: { kind: 'renewed', epoch: record.epoch }, leaseClock: 'restart' };
}

/** Gives it up; the epoch stays (rules 4, 6 and 10). */
export function release(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'release' }>): RegisterStep {
  if (!holds(record, verb)) return refuse(record, lost(record));
  if (verb.pendingClaims > 0) return refuse(record, { kind: 'claims-pending', pendingClaims: verb.pendingClaims });
  const isUnclean = record.isUnclean && !verb.isHoldOffOver;
  return {
    record: { ...record, holder: null, nonce: null, isUnclean },
    reply: { kind: 'released', epoch: record.epoch },
    leaseClock: 'end',
  };
}

/** Whether a lease that runs out waits for a person from now on (rule 12). */
export function setTakeover(
  record: RegisterRecord,
  verb: Extract<RegisterVerb, { verb: 'set-takeover' }>,
): RegisterStep {
  const { takeover: _, ...rest } = record;
  return {
    record: verb.takeover === 'by-person' ? { ...rest, takeover: 'by-person' } : rest,
    reply: { kind: 'takeover-set' },
    // Nobody's clock ends where nobody holds it: so even the first word about an agent is kept.
    leaseClock: record.holder === null ? 'end' : 'keep',
  };
}

function isGrantOf(record: RegisterRecord, verb: Grant): boolean {
  return record.nonce === verb.nonce && record.holder === verb.deviceId;
}

function repeated(record: RegisterRecord): RegisterStep {
  return refuse(record, { kind: 'granted', epoch: record.epoch, holdOff: record.isUnclean, isReplay: true });
}

function granted(record: RegisterRecord, { deviceId, nonce, ttlMs }: Grant): RegisterStep {
  const isUnclean = record.holder !== null || record.isUnclean;
  const epoch = record.epoch + 1;
  // Whoever ever held it stays named: its journal may tell of what no other one does (protocol section 7, compaction).
  const frontier = { [deviceId]: 0, ...record.frontier };
  return {
    record: { ...record, epoch, holder: deviceId, nonce, ttlMs, isUnclean, frontier },
    reply: { kind: 'granted', epoch, holdOff: isUnclean, isReplay: false },
    leaseClock: 'restart',
  };
}
