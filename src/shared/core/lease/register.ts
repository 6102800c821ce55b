import type { AttemptToken, DeviceId, EffectIdentity } from '../../contract/identifiers.ts';
import type { CoordinatorIdentity, MovedTo } from './lease.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { acquire, release, renew, setTakeover, takeOver } from './grant.ts';
import { adopt, bump, retire } from './move.ts';
import type { HolderClaim } from './register-step.ts';
import { announce, pruneTail, settleTail } from './tail.ts';

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
  /** Per device that ever held the agent: up to which sequence number its journal must be folded before a new holder may act. */
  readonly frontier: Readonly<Record<string, number>>;
  /** Set where a lease that ran out waits for a person (rule 12). */
  readonly takeover?: 'by-person';
  /** Set once the agent belongs to another register: it is granted here no more (rule 11). */
  readonly movedTo?: MovedTo;
  /** From which lives of which registers it was taken in, and at which epoch of theirs. */
  readonly adopted?: readonly Adoption[];
}

/** One taking-in. */
interface Adoption extends CoordinatorIdentity {
  readonly epoch: number;
}

/** Allows `announce` over an earlier entry of the same effect. Bound to the state in which that entry was seen. */
export interface AnnouncePermit {
  readonly reason: 'decision' | 'automatic-repeat';
  readonly attemptToken: AttemptToken;
  readonly status: 'open' | 'committed';
}

/**
 * How an entry is settled. `withdrawn`: it says nothing about the effect, because nothing was sent or because a refusal of
 * the repeat is no answer about the first attempt; whatever it was permitted to follow stands as before.
 */
export type TailOutcome = 'committed' | 'failed' | 'withdrawn';

/** What moves with an agent from one register to another. */
export type AdoptedRecord = Pick<RegisterRecord, 'epoch' | 'isUnclean' | 'tail' | 'frontier' | 'takeover'>;

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
      readonly status: TailOutcome;
      readonly opId: string;
      readonly seq: number;
    } & HolderClaim)
  | ({
      readonly verb: 'prune-tail';
      readonly uptoSeq: number;
      /** Whose entries; the caller's own unless said. The caller has folded that journal so far, and a relay holds it. */
      readonly ofDeviceId?: DeviceId | undefined;
    } & HolderClaim)
  /** A person takes the agent over now, from what they were shown: the epoch is the lock's own name. */
  | {
      readonly verb: 'take-over';
      readonly deviceId: DeviceId;
      readonly nonce: string;
      readonly ttlMs: number;
      readonly seenEpoch: number;
    }
  | { readonly verb: 'set-takeover'; readonly deviceId: DeviceId; readonly takeover: 'automatic' | 'by-person' }
  /** A person raises the epoch of a register that went back above everything that was ever seen (rule 7). */
  | {
      readonly verb: 'bump';
      readonly deviceId: DeviceId;
      readonly seenEpoch: number;
      readonly aboveEpoch: number;
    }
  /** The holder gives the agent to another register for good (rule 11). */
  | ({
      readonly verb: 'retire';
      readonly pendingClaims: number;
      readonly isHoldOffOver: boolean;
      readonly to: MovedTo;
    } & HolderClaim)
  /** The other register takes it in. */
  | {
      readonly verb: 'adopt';
      readonly deviceId: DeviceId;
      readonly source: CoordinatorIdentity;
      readonly from: AdoptedRecord;
    };

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
  | { readonly kind: 'pruned'; readonly dropped: number }
  | { readonly kind: 'moved'; readonly to: MovedTo }
  | { readonly kind: 'waits-for-person'; readonly holder: DeviceId; readonly epoch: number }
  | { readonly kind: 'seen-otherwise'; readonly holder: DeviceId | null; readonly epoch: number }
  | { readonly kind: 'takeover-set' }
  | { readonly kind: 'bumped'; readonly epoch: number }
  | { readonly kind: 'retired'; readonly epoch: number; readonly isUnclean: boolean }
  | { readonly kind: 'adopted'; readonly epoch: number; readonly isReplay: boolean };

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
      return renew(record, verb, isLive);
    case 'release':
      return release(record, verb);
    case 'announce':
      return announce(record, verb);
    case 'settle-tail':
      return settleTail(record, verb);
    case 'prune-tail':
      return pruneTail(record, verb);
    case 'take-over':
      return takeOver(record, verb);
    case 'set-takeover':
      return setTakeover(record, verb);
    case 'bump':
      return bump(record, verb);
    case 'retire':
      return retire(record, verb);
    case 'adopt':
      return adopt(record, verb, isLive);
    default:
      return assertNever(verb);
  }
}
