import { isSameEffect } from '../../contract/identifiers.ts';
import { ownMember } from '../../lib/own-member.ts';
import type { AnnouncePermit, RegisterRecord, RegisterStep, RegisterVerb, TailEntry } from './register.ts';
import { holds, lost, refuse } from './register-step.ts';
import type { HolderClaim } from './register-step.ts';

/** Limits of one agent's tail (protocol section 4). A full tail refuses new effects, it never drops one. */
export const TAIL_OPEN_LIMIT = 64;
export const TAIL_SETTLED_LIMIT = 256;
/** An open entry can have one before it that it was permitted to follow. */
export const TAIL_LENGTH_LIMIT = 2 * TAIL_OPEN_LIMIT + TAIL_SETTLED_LIMIT;

/** Makes an intent visible to whoever takes over; at once the linearizable read of the epoch (protocol section 4). */
export function announce(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'announce' }>): RegisterStep {
  if (!holds(record, verb)) return refuse(record, lost(record));
  const own = record.tail.find((entry) => isEntryOf(entry, verb.entry));
  if (own !== undefined) {
    if (own.status !== 'open') return refuse(record, { kind: 'settled-otherwise', entry: own });
    // Only the same grant with the same input asks again; after a takeover the entry is in doubt like any other.
    const isSame = isAnnouncedBy(own, verb) && own.digest === verb.entry.digest;
    return refuse(record, isSame ? { kind: 'announced', isReplay: true } : { kind: 'still-open', entry: own });
  }
  const earlier = standingEntry(record.tail, verb.entry);
  if (earlier !== null && !isPermitted(earlier, verb.permit)) {
    return refuse(record, { kind: earlier.status === 'open' ? 'still-open' : 'already-committed', entry: earlier });
  }
  const others = record.tail.filter((entry) => !isSameEffect(entry.effect, verb.entry.effect));
  const { open, settled } = tailFill(others);
  if (open >= TAIL_OPEN_LIMIT || settled >= TAIL_SETTLED_LIMIT) {
    return refuse(record, { kind: 'tail-full', open, settled });
  }
  const { deviceId, epoch } = verb;
  const entry: TailEntry = { ...verb.entry, deviceId, epoch, status: 'open', opId: null, seq: null };
  return {
    // What this one is permitted to follow stays: this one may yet be taken back without having been sent.
    record: { ...record, tail: earlier === null ? [...others, entry] : [...others, earlier, entry] },
    reply: { kind: 'announced', isReplay: false },
    leaseClock: 'keep',
  };
}

/** How many entries of a tail are open, and how many are settled. */
export function tailFill(tail: readonly TailEntry[]): { readonly open: number; readonly settled: number } {
  const open = tail.filter((entry) => entry.status === 'open').length;
  return { open, settled: tail.length - open };
}

function isEntryOf(entry: TailEntry, of: Pick<TailEntry, 'effect' | 'attemptToken'>): boolean {
  return entry.attemptToken === of.attemptToken && isSameEffect(entry.effect, of.effect);
}

/** What stands in the tail for an effect, an attempt's own entry aside: the newest entry that has not failed. */
export function standingEntry(
  tail: readonly TailEntry[],
  of: Pick<TailEntry, 'effect' | 'attemptToken'>,
): TailEntry | null {
  const stands = (entry: TailEntry): boolean =>
    entry.status !== 'failed' && entry.attemptToken !== of.attemptToken && isSameEffect(entry.effect, of.effect);
  return tail.findLast(stands) ?? null;
}

/**
 * Whether a register has heard of entries of a device's own journal that its record does not hold, `ownSeq` being the last: a disk
 * has lost what it had promised to keep. Then an attempt that the record does not know may have been sent all the same.
 */
export function hasLostOwnPart(
  { tail, frontier }: Pick<RegisterRecord, 'tail' | 'frontier'>,
  own: { readonly deviceId: string; readonly ownSeq: number },
): boolean {
  const isBeyond = (entry: TailEntry): boolean => entry.deviceId === own.deviceId && (entry.seq ?? 0) > own.ownSeq;
  return (ownMember(frontier, own.deviceId) ?? 0) > own.ownSeq || tail.some(isBeyond);
}

function isAnnouncedBy(entry: TailEntry, claim: HolderClaim): boolean {
  return entry.deviceId === claim.deviceId && entry.epoch === claim.epoch;
}

/** Whatever stands in the way (see `standingEntry`) needs a permit that names it as it is now. */
export function isPermitted(earlier: TailEntry, permit: AnnouncePermit | null): boolean {
  if (permit === null || permit.attemptToken !== earlier.attemptToken || permit.status !== earlier.status) return false;
  return permit.reason === 'decision' || earlier.status === 'open';
}

/** The holder may settle any entry; a device that lost the lease may still say how its own attempt ended. */
export function settleTail(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'settle-tail' }>): RegisterStep {
  const entry = record.tail.find((each) => isEntryOf(each, verb));
  if (entry === undefined) return refuse(record, { kind: 'no-such-entry' });
  if (entry.status !== 'open') {
    const isSame = entry.status === (verb.status === 'committed' ? 'committed' : 'failed');
    return refuse(record, isSame ? { kind: 'tail-settled' } : { kind: 'settled-otherwise', entry });
  }
  if (!isAnnouncedBy(entry, verb) && !holds(record, verb)) return refuse(record, lost(record));
  return {
    record: { ...record, tail: settledTail(record.tail, entry, verb) },
    reply: { kind: 'tail-settled' },
    leaseClock: 'keep',
  };
}

/**
 * What was sent and answered takes the place of whatever it was permitted to follow; what was not sent does not. What turns out
 * to have happened after it was repeated comes last: it stands, and nothing may follow the repeat any more.
 */
function settledTail(
  tail: readonly TailEntry[],
  entry: TailEntry,
  { deviceId, status, opId, seq }: Extract<RegisterVerb, { verb: 'settle-tail' }>,
): TailEntry[] {
  const at = tail.indexOf(entry);
  const settled: TailEntry = { ...entry, deviceId, status: status === 'committed' ? status : 'failed', opId, seq };
  const isKept = (each: TailEntry, index: number): boolean =>
    status === 'withdrawn' || index >= at || !isSameEffect(each.effect, entry.effect);
  const kept = tail.filter(isKept);
  const isFollowed = standingEntry(tail.slice(at + 1), entry) !== null;
  if (status === 'committed' && isFollowed) return [...kept.filter((each) => each !== entry), settled];
  return kept.map((each) => (each === entry ? settled : each));
}

/**
 * Drops what a relay holds of a journal: of the caller's own, or of an earlier holder's that the caller has folded. Open
 * entries are never pruned. Whoever holds the agent later has to have folded that journal as far.
 */
export function pruneTail(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'prune-tail' }>): RegisterStep {
  if (!holds(record, verb)) return refuse(record, lost(record));
  const { deviceId, ofDeviceId = deviceId, uptoSeq } = verb;
  const tail = record.tail.filter(
    (entry) => entry.seq === null || entry.deviceId !== ofDeviceId || entry.seq > uptoSeq,
  );
  const { frontier } = record;
  const reached = Math.max(ownMember(frontier, ofDeviceId) ?? 0, uptoSeq);
  return {
    record: { ...record, tail, frontier: { ...frontier, [ofDeviceId]: reached } },
    reply: { kind: 'pruned', dropped: record.tail.length - tail.length },
    leaseClock: 'keep',
  };
}
