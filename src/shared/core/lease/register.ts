import { isSameEffect } from '../../contract/identifiers.ts';
import type { AttemptToken, DeviceId, EffectIdentity } from '../../contract/identifiers.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { ownMember } from '../../lib/own-member.ts';

/** Limits of one agent's tail (protocol section 4). A full tail refuses new effects, it never drops one. */
export const TAIL_OPEN_LIMIT = 64;
export const TAIL_SETTLED_LIMIT = 256;

/** One operation that other devices may not know about yet. It travels with the lease. */
export interface TailEntry {
  readonly effect: EffectIdentity;
  readonly attemptToken: AttemptToken;
  /** Who announced it, and once settled who settled it: the device in whose journal `seq` counts. */
  readonly deviceId: DeviceId;
  /** The epoch under which it was announced. */
  readonly epoch: number;
  readonly status: 'open' | 'committed' | 'failed';
  /** The journal operation that settled it, and its place in that device's journal; `null` while open. */
  readonly opId: string | null;
  readonly seq: number | null;
  /** Digest of the input. */
  readonly digest: string;
}

/** Everything the register keeps for one agent. Only its storage knows when the lease runs out. */
export interface RegisterRecord {
  readonly epoch: number;
  readonly holder: DeviceId | null;
  readonly nonce: string | null;
  readonly ttlMs: number;
  /** The grant in force took over from a holder that had not released, and nobody has proved the hold-off over since. */
  readonly isUnclean: boolean;
  readonly tail: readonly TailEntry[];
  /** Per device: up to which sequence number its journal must be folded before a new holder may act. */
  readonly frontier: Readonly<Record<string, number>>;
}

/** Who asks, and under which grant. */
interface HolderClaim {
  readonly deviceId: DeviceId;
  readonly epoch: number;
}

/** Allows `announce` over an earlier entry of the same effect. Bound to the state in which that entry was seen. */
export interface AnnouncePermit {
  readonly reason: 'decision' | 'automatic-repeat';
  readonly attemptToken: AttemptToken;
  readonly status: 'open' | 'committed';
}

/** What a device can ask of the register. */
export type RegisterVerb =
  | { readonly verb: 'acquire'; readonly deviceId: DeviceId; readonly nonce: string; readonly ttlMs: number }
  | ({ readonly verb: 'renew'; readonly nonce: string } & HolderClaim)
  | ({ readonly verb: 'release'; readonly pendingClaims: number; readonly isHoldOffOver: boolean } & HolderClaim)
  | ({
      readonly verb: 'announce';
      readonly entry: Pick<TailEntry, 'effect' | 'attemptToken' | 'digest'>;
      readonly permit: AnnouncePermit | null;
    } & HolderClaim)
  | ({
      readonly verb: 'settle-tail';
      readonly effect: EffectIdentity;
      readonly attemptToken: AttemptToken;
      readonly status: 'committed' | 'failed';
      readonly opId: string;
      readonly seq: number;
    } & HolderClaim)
  | ({ readonly verb: 'prune-tail'; readonly uptoSeq: number } & HolderClaim);

/** What the register answers. Only `granted`, `renewed` and `announced` let anything go on. */
export type RegisterReply =
  | { readonly kind: 'granted'; readonly epoch: number; readonly holdOff: boolean; readonly isReplay: boolean }
  | { readonly kind: 'held'; readonly holder: DeviceId; readonly epoch: number }
  | { readonly kind: 'renewed'; readonly epoch: number }
  | { readonly kind: 'lost'; readonly holder: DeviceId | null; readonly epoch: number }
  | { readonly kind: 'released'; readonly epoch: number }
  | { readonly kind: 'claims-pending'; readonly pendingClaims: number }
  | { readonly kind: 'announced'; readonly isReplay: boolean }
  | { readonly kind: 'still-open' | 'already-committed'; readonly entry: TailEntry }
  | { readonly kind: 'tail-full'; readonly open: number; readonly settled: number }
  | { readonly kind: 'tail-settled' }
  | { readonly kind: 'no-such-entry' }
  | { readonly kind: 'settled-otherwise'; readonly entry: TailEntry }
  | { readonly kind: 'pruned'; readonly dropped: number };

/** A decision of the register: the record to keep, the answer, and whether the lease clock starts anew or ends. */
export interface RegisterStep {
  readonly record: RegisterRecord;
  readonly reply: RegisterReply;
  readonly leaseClock: 'keep' | 'restart' | 'end';
}

const EMPTY: RegisterRecord = {
  epoch: 0,
  holder: null,
  nonce: null,
  ttlMs: 0,
  isUnclean: false,
  tail: [],
  frontier: {},
};

/**
 * What every verb means, for all storages alike (architecture: one register, four storages). The storage brings the
 * record, applies the answer atomically, and says whether the lease is still live by its own clock.
 */
export function applyVerb(stored: RegisterRecord | null, verb: RegisterVerb, isLive: boolean): RegisterStep {
  const record = stored ?? EMPTY;
  switch (verb.verb) {
    case 'acquire':
      return acquire(record, verb, isLive);
    case 'renew':
      if (!holds(record, verb) || record.nonce !== verb.nonce || !isLive) return refuse(record, lost(record));
      return { record, reply: { kind: 'renewed', epoch: record.epoch }, leaseClock: 'restart' };
    case 'release':
      return release(record, verb);
    case 'announce':
      return announce(record, verb);
    case 'settle-tail':
      return settleTail(record, verb);
    case 'prune-tail':
      return pruneTail(record, verb);
    default:
      return assertNever(verb);
  }
}

function refuse(record: RegisterRecord, reply: RegisterReply): RegisterStep {
  return { record, reply, leaseClock: 'keep' };
}

function holds(record: RegisterRecord, claim: HolderClaim): boolean {
  return record.holder === claim.deviceId && record.epoch === claim.epoch;
}

function lost(record: RegisterRecord): RegisterReply {
  return { kind: 'lost', holder: record.holder, epoch: record.epoch };
}

function acquire(
  record: RegisterRecord,
  verb: Extract<RegisterVerb, { verb: 'acquire' }>,
  isLive: boolean,
): RegisterStep {
  if (record.holder !== null && record.nonce === verb.nonce && record.holder === verb.deviceId) {
    return refuse(record, { kind: 'granted', epoch: record.epoch, holdOff: record.isUnclean, isReplay: true });
  }
  if (record.holder !== null && isLive) {
    return refuse(record, { kind: 'held', holder: record.holder, epoch: record.epoch });
  }
  const isUnclean = record.holder !== null || record.isUnclean;
  const epoch = record.epoch + 1;
  return {
    record: { ...record, epoch, holder: verb.deviceId, nonce: verb.nonce, ttlMs: verb.ttlMs, isUnclean },
    reply: { kind: 'granted', epoch, holdOff: isUnclean, isReplay: false },
    leaseClock: 'restart',
  };
}

function release(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'release' }>): RegisterStep {
  if (!holds(record, verb)) return refuse(record, lost(record));
  if (verb.pendingClaims > 0) return refuse(record, { kind: 'claims-pending', pendingClaims: verb.pendingClaims });
  const isUnclean = record.isUnclean && !verb.isHoldOffOver;
  return {
    record: { ...record, holder: null, nonce: null, isUnclean },
    reply: { kind: 'released', epoch: record.epoch },
    leaseClock: 'end',
  };
}

function announce(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'announce' }>): RegisterStep {
  if (!holds(record, verb)) return refuse(record, lost(record));
  const earlier = record.tail.find((entry) => isSameEffect(entry.effect, verb.entry.effect));
  if (earlier?.attemptToken === verb.entry.attemptToken) {
    if (earlier.status !== 'open') return refuse(record, { kind: 'settled-otherwise', entry: earlier });
    // Only the same grant with the same input asks again; after a takeover the entry is in doubt like any other.
    const isSame = isAnnouncedBy(earlier, verb) && earlier.digest === verb.entry.digest;
    return refuse(record, isSame ? { kind: 'announced', isReplay: true } : { kind: 'still-open', entry: earlier });
  }
  if (earlier !== undefined && !isPermitted(earlier, verb.permit)) {
    return refuse(record, { kind: earlier.status === 'open' ? 'still-open' : 'already-committed', entry: earlier });
  }
  const others = record.tail.filter((entry) => entry !== earlier);
  const open = others.filter((entry) => entry.status === 'open').length;
  const settled = others.length - open;
  if (open >= TAIL_OPEN_LIMIT || settled >= TAIL_SETTLED_LIMIT) {
    return refuse(record, { kind: 'tail-full', open, settled });
  }
  const { deviceId, epoch } = verb;
  const entry: TailEntry = { ...verb.entry, deviceId, epoch, status: 'open', opId: null, seq: null };
  return {
    record: { ...record, tail: [...others, entry] },
    reply: { kind: 'announced', isReplay: false },
    leaseClock: 'keep',
  };
}

function isAnnouncedBy(entry: TailEntry, claim: HolderClaim): boolean {
  return entry.deviceId === claim.deviceId && entry.epoch === claim.epoch;
}

/** A failed entry never stands in the way; any other needs a permit that names it as it is now. */
export function isPermitted(earlier: TailEntry, permit: AnnouncePermit | null): boolean {
  if (earlier.status === 'failed') return true;
  if (permit === null || permit.attemptToken !== earlier.attemptToken || permit.status !== earlier.status) return false;
  return permit.reason === 'decision' || earlier.status === 'open';
}

/** The holder may settle any entry; a device that lost the lease may still say how its own attempt ended. */
function settleTail(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'settle-tail' }>): RegisterStep {
  const entry = record.tail.find(
    (each) => each.attemptToken === verb.attemptToken && isSameEffect(each.effect, verb.effect),
  );
  if (entry === undefined) return refuse(record, { kind: 'no-such-entry' });
  if (entry.status !== 'open') {
    const isSame = entry.status === verb.status;
    return refuse(record, isSame ? { kind: 'tail-settled' } : { kind: 'settled-otherwise', entry });
  }
  if (!isAnnouncedBy(entry, verb) && !holds(record, verb)) return refuse(record, lost(record));
  const { deviceId, status, opId, seq } = verb;
  const tail = record.tail.map((each) => (each === entry ? { ...entry, deviceId, status, opId, seq } : each));
  return { record: { ...record, tail }, reply: { kind: 'tail-settled' }, leaseClock: 'keep' };
}

/** Drops what the relay has acknowledged of the caller's own journal. Open entries are never pruned. */
function pruneTail(record: RegisterRecord, verb: Extract<RegisterVerb, { verb: 'prune-tail' }>): RegisterStep {
  if (!holds(record, verb)) return refuse(record, lost(record));
  const tail = record.tail.filter(
    (entry) => entry.seq === null || entry.deviceId !== verb.deviceId || entry.seq > verb.uptoSeq,
  );
  const { frontier } = record;
  const reached = Math.max(ownMember(frontier, verb.deviceId) ?? 0, verb.uptoSeq);
  return {
    record: { ...record, tail, frontier: { ...frontier, [verb.deviceId]: reached } },
    reply: { kind: 'pruned', dropped: record.tail.length - tail.length },
    leaseClock: 'keep',
  };
}
