import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { CLOCK_AHEAD_LIMIT_MS } from '../../../shared/core/sync/hybrid-clock.ts';
import { checkLink } from '../../../shared/core/sync/operation.ts';
import type { ChainProblem, Operation } from '../../../shared/core/sync/operation.ts';
import type { SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { openOperation } from '../../relays/seal/seal-operation.ts';
import type { HeadSignature } from '../../relays/seal/seal-operation.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import type { SealProblem } from '../../relays/seal/seal-problem.ts';
import { isHeadSigned } from '../../relays/seal/sign-journal.ts';
import { change, readOne, sha256 } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { problemOfSqlite } from '../../store/database.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import { foldOperations, isTooLate } from '../../store/transactions/fold-operations.ts';

/** Why a journal is not folded any further. */
export type QuarantineReason =
  | { readonly kind: 'chain'; readonly problem: ChainProblem }
  | { readonly kind: 'foreign-signature'; readonly seq: number }
  | { readonly kind: 'clock-ahead'; readonly seq: number; readonly aheadMs: number }
  | { readonly kind: 'cannot-open'; readonly seq: number; readonly problem: SealProblem }
  | { readonly kind: 'not-understood'; readonly seq: number; readonly message: string }
  | { readonly kind: 'let-go'; readonly seq: number }
  /** It comes before a run of which this record has the result only. */
  | { readonly kind: 'too-late'; readonly seq: number };

/** A long text, with the digest that an entry names it by. */
interface KeptText {
  readonly digest: string;
  readonly text: string;
}

/** What came of opened entries: how many are in the record now, and why no more of them are. */
export interface TakenIn {
  readonly count: number;
  readonly reason: QuarantineReason | null;
}

/** Entries of one device that were opened, up to the last one that is signed. */
export interface OpenedOperations {
  readonly deviceId: DeviceId;
  readonly operations: readonly Operation[];
  readonly texts: readonly KeptText[];
  readonly signatures: readonly { readonly seq: number; readonly opId: string; readonly signed: HeadSignature }[];
}

/**
 * Opens what a relay gave of one device. What comes after the last signed entry is left for the next time; what cannot be
 * opened ends it, and is a reason once nothing before it is left to fold.
 */
export function openJournal(
  ring: KeyRing,
  deviceId: DeviceId,
  of: { readonly sealed: readonly SealedOperation[]; readonly prevHash: string },
): { readonly opened: OpenedOperations; readonly reason: QuarantineReason | null } {
  const operations: Operation[] = [];
  const texts: (KeptText & { readonly seq: number })[] = [];
  const signatures: OpenedOperations['signatures'][number][] = [];
  let { prevHash } = of;
  let reason: QuarantineReason | null = null;
  for (const sealed of of.sealed) {
    const contents = openOperation(ring, sealed);
    if (!contents.ok) {
      reason = { kind: 'cannot-open', seq: sealed.seq, problem: contents.error };
      break;
    }
    const { opId, epoch, kind, payload, signature } = contents.value;
    const { seq, wallMs, counter } = sealed;
    const kept = contents.value.texts.map((text) => ({ seq, digest: sha256(text), text }));
    if (!kept.every(({ digest }) => payload.includes(digest))) {
      reason = { kind: 'cannot-open', seq, problem: { kind: 'malformed', what: 'a text of an operation' } };
      break;
    }
    texts.push(...kept);
    operations.push({ opId, deviceId, seq, prevHash, time: { wallMs, counter }, epoch, kind, payload });
    if (signature !== null) signatures.push({ seq, opId, signed: signature });
    prevHash = opId;
  }
  const upTo = signatures.at(-1)?.seq ?? 0;
  return {
    opened: {
      deviceId,
      operations: operations.filter((operation) => operation.seq <= upTo),
      texts: texts.filter((each) => each.seq <= upTo),
      signatures,
    },
    reason: upTo === 0 ? reason : null,
  };
}

/** Why entries may not be folded, as far as this can be said without the record. */
export function refusalOf(connection: Connection, opened: OpenedOperations, nowMs: number): QuarantineReason | null {
  const { deviceId, operations, signatures } = opened;
  const first = operations[0]?.seq ?? 0;
  if (first > lastOf(connection, deviceId)) return { kind: 'let-go', seq: first };
  const ahead = operations.find((operation) => operation.time.wallMs - nowMs > CLOCK_AHEAD_LIMIT_MS);
  if (ahead !== undefined) return { kind: 'clock-ahead', seq: ahead.seq, aheadMs: ahead.time.wallMs - nowMs };
  const pinned = readKey(connection, deviceId) ?? signatures[0]?.signed.publicKey ?? '';
  for (const { seq, opId, signed } of signatures) {
    const isGood = signed.publicKey === pinned && isHeadSigned(pinned, { deviceId, seq, opId }, signed.signature);
    if (!isGood) return { kind: 'foreign-signature', seq };
  }
  return null;
}

/**
 * Folds opened entries, inside a write of the store, as far as a signature covers them: one that is broken off before the next
 * signature may have been slipped in by anybody who has the keys of the space. `isSingly`: one by one up to the first over
 * which the code stumbles. @throws Error where it stumbles over one and `isSingly` was not said.
 */
export function takeIn(
  connection: Connection,
  opened: OpenedOperations,
  { isLater, isSingly }: { readonly isLater: boolean; readonly isSingly: boolean },
): TakenIn {
  const { sound: all, reason } = soundPart(connection, opened);
  const last = lastOf(connection, opened.deviceId);
  const sound = all.filter((operation) => operation.seq <= last);
  if (!isSingly) return { count: fold(connection, { ...opened, operations: sound }, isLater), reason };
  const { db, journal } = connection;
  let count = 0;
  for (const operation of sound) {
    const before = journal.head;
    try {
      count += db.transaction(() => fold(connection, { ...opened, operations: [operation] }, isLater))();
    } catch (cause) {
      // A fault of the disk is none of the entry, and takes the whole write back.
      if (problemOfSqlite(cause) !== null || !db.inTransaction) throw cause;
      journal.reset(before);
      const message = cause instanceof Error ? cause.message : String(cause);
      return { count, reason: { kind: 'not-understood', seq: operation.seq, message } };
    }
  }
  return { count, reason };
}

/** The entries up to the last signature before the first that does not continue the chain, and what is wrong with that one. */
function soundPart(
  { db }: Connection,
  { deviceId, operations, signatures }: OpenedOperations,
): { readonly sound: readonly Operation[]; readonly reason: QuarantineReason | null } {
  let head: { readonly deviceId: string; readonly seq: number; readonly opId: string } = readJournalHead(db, deviceId);
  const startSeq = head.seq;
  for (const operation of operations) {
    if (operation.seq <= head.seq) continue;
    const problem = checkLink(head, operation, sha256);
    if (problem === null && isTooLate(db, operation)) {
      const upTo = signatures.findLast(({ seq }) => seq < operation.seq)?.seq ?? 0;
      const reason = { kind: 'too-late', seq: operation.seq } as const;
      return { sound: operations.filter(({ seq }) => seq <= upTo), reason };
    }
    if (problem !== null) {
      // An entry does not say which one it follows. What its author signed and does not follow from what is here follows from
      // something else.
      const isSecondStory = problem.kind === 'wrong-hash' && head.seq > 0 && head.seq === startSeq;
      const upTo = signatures.findLast(({ seq }) => seq <= head.seq)?.seq ?? 0;
      const sound = operations.filter(({ seq }) => seq <= upTo);
      return {
        sound,
        reason: { kind: 'chain', problem: isSecondStory ? { kind: 'broken-link', seq: problem.seq } : problem },
      };
    }
    head = operation;
  }
  return { sound: operations, reason: null };
}

function fold(connection: Connection, opened: OpenedOperations, isLater: boolean): number {
  const { deviceId, operations, texts, signatures } = opened;
  const { db } = connection;
  if (operations.length === 0) return 0;
  const key = signatures[0]?.signed.publicKey;
  if (key !== undefined)
    change(db, 'INSERT OR IGNORE INTO journal_keys (device_id, public_key) VALUES (?,?)', deviceId, key);
  for (const { digest, text } of texts)
    change(db, 'INSERT OR IGNORE INTO blobs (digest, body) VALUES (?,?)', digest, text);
  const folded = foldOperations(connection, deviceId, operations, isLater);
  if (folded.kind === 'broken') throw new Error(`A chain that was sound broke at entry ${folded.problem.seq}.`);
  if (folded.kind === 'too-late') throw new Error(`Entry ${folded.seq} comes too late, which was not seen before.`);
  const head = readJournalHead(db, deviceId);
  for (const { seq, opId, signed } of signatures) {
    if (seq > head.seq) break;
    const sql = 'INSERT OR IGNORE INTO signatures (device_id, journal_seq, op_id, signature) VALUES (?,?,?,?)';
    change(db, sql, deviceId, seq, opId, signed.signature);
  }
  return folded.count;
}

/** Puts a journal aside, with what was found. It stays so until a person lets it be tried again. */
export function quarantine(
  { db }: Connection,
  deviceId: DeviceId,
  of: { readonly reason: QuarantineReason; readonly nowMs: number },
): void {
  const { reason, nowMs } = of;
  const seq = 'seq' in reason ? reason.seq : reason.problem.seq;
  change(
    db,
    'INSERT OR IGNORE INTO quarantines (device_id, reason, journal_seq, facts, at_ms) VALUES (?,?,?,?,?)',
    deviceId,
    reason.kind,
    seq,
    JSON.stringify(reason),
    nowMs,
  );
}

function readKey({ db }: Connection, deviceId: DeviceId): string | null {
  const sql = 'SELECT public_key FROM journal_keys WHERE device_id = ?';
  return readOne<{ public_key: string }>(db, sql, deviceId)?.public_key ?? null;
}

/** The last entry of a device that counts: one that was let go wrote some before that, and whoever joins later needs them. */
function lastOf({ db }: Connection, deviceId: DeviceId): number {
  const sql = 'SELECT let_go_up_to AS upTo FROM sync_devices WHERE device_id = ?';
  return readOne<{ upTo: number | null }>(db, sql, deviceId)?.upTo ?? Number.MAX_SAFE_INTEGER;
}
