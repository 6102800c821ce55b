import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { CLOCK_AHEAD_LIMIT_MS } from '../../../shared/core/sync/hybrid-clock.ts';
import type { ChainProblem, Operation } from '../../../shared/core/sync/operation.ts';
import type { SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { openOperation } from '../../relays/seal/seal-operation.ts';
import type { HeadSignature } from '../../relays/seal/seal-operation.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import type { SealProblem } from '../../relays/seal/seal-problem.ts';
import { isHeadSigned } from '../../relays/seal/sign-journal.ts';
import { change, readOne, sha256 } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import { foldOperations } from '../../store/transactions/fold-operations.ts';

/** Why a journal is not folded any further. */
export type QuarantineReason =
  | { readonly kind: 'chain'; readonly problem: ChainProblem }
  | { readonly kind: 'foreign-signature'; readonly seq: number }
  | { readonly kind: 'clock-ahead'; readonly seq: number; readonly aheadMs: number }
  | { readonly kind: 'cannot-open'; readonly seq: number; readonly problem: SealProblem }
  | { readonly kind: 'not-understood'; readonly seq: number; readonly message: string }
  | { readonly kind: 'let-go'; readonly seq: number };

/** Entries of one device that were opened, up to the last one that is signed. */
export interface OpenedOperations {
  readonly deviceId: DeviceId;
  readonly operations: readonly Operation[];
  readonly texts: readonly string[];
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
  const texts: { readonly seq: number; readonly text: string }[] = [];
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
    operations.push({ opId, deviceId, seq, prevHash, time: { wallMs, counter }, epoch, kind, payload });
    for (const text of contents.value.texts) texts.push({ seq, text });
    if (signature !== null) signatures.push({ seq, opId, signed: signature });
    prevHash = opId;
  }
  const upTo = signatures.at(-1)?.seq ?? 0;
  return {
    opened: {
      deviceId,
      operations: operations.filter((operation) => operation.seq <= upTo),
      texts: texts.filter((each) => each.seq <= upTo).map((each) => each.text),
      signatures,
    },
    reason: upTo === 0 ? reason : null,
  };
}

/** Why entries may not be folded, as far as this can be said without the record. */
export function refusalOf(connection: Connection, opened: OpenedOperations, nowMs: number): QuarantineReason | null {
  const { deviceId, operations, signatures } = opened;
  const first = operations[0]?.seq ?? 0;
  if (isLetGo(connection, deviceId)) return { kind: 'let-go', seq: first };
  const ahead = operations.find((operation) => operation.time.wallMs - nowMs > CLOCK_AHEAD_LIMIT_MS);
  if (ahead !== undefined) return { kind: 'clock-ahead', seq: ahead.seq, aheadMs: ahead.time.wallMs - nowMs };
  const pinned = readKey(connection, deviceId) ?? signatures[0]?.signed.publicKey ?? '';
  for (const { seq, opId, signed } of signatures) {
    const isGood = signed.publicKey === pinned && isHeadSigned(pinned, { deviceId, seq, opId }, signed.signature);
    if (!isGood) return { kind: 'foreign-signature', seq };
  }
  return null;
}

/** Folds opened entries, inside a write of the store. @throws Error where a payload is not what its kind says. */
export function takeIn(
  connection: Connection,
  opened: OpenedOperations,
  isLater: boolean,
): { readonly count: number; readonly reason: QuarantineReason | null } {
  const { deviceId, operations, texts, signatures } = opened;
  const { db } = connection;
  const key = signatures[0]?.signed.publicKey;
  if (key !== undefined)
    change(db, 'INSERT OR IGNORE INTO journal_keys (device_id, public_key) VALUES (?,?)', deviceId, key);
  for (const text of texts) change(db, 'INSERT OR IGNORE INTO blobs (digest, body) VALUES (?,?)', sha256(text), text);
  const folded = foldOperations(connection, deviceId, operations, isLater);
  const head = readJournalHead(db, deviceId);
  for (const { seq, opId, signed } of signatures) {
    if (seq > head.seq) break;
    const sql = 'INSERT OR IGNORE INTO signatures (device_id, journal_seq, op_id, signature) VALUES (?,?,?,?)';
    change(db, sql, deviceId, seq, opId, signed.signature);
  }
  const reason: QuarantineReason | null = folded.kind === 'broken' ? { kind: 'chain', problem: folded.problem } : null;
  return { count: folded.count, reason };
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

function isLetGo({ db }: Connection, deviceId: DeviceId): boolean {
  return readOne(db, 'SELECT 1 FROM sync_devices WHERE device_id = ? AND let_go_at_ms IS NOT NULL', deviceId) !== null;
}
