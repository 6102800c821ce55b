import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Operation } from '../../../shared/core/sync/operation.ts';
import type { SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { RELAY_BATCH_CHARACTERS } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { sealOperation } from '../../relays/seal/seal-operation.ts';
import type { HeadSignature } from '../../relays/seal/seal-operation.ts';
import type { SignedHead } from '../../relays/seal/sign-journal.ts';
import { change, readAll, readOne } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { operationOf } from '../../store/journal-rows.ts';
import type { OpRow } from '../../store/journal-rows.ts';

/** One entry of this device's journal as it is sealed. */
export interface OutgoingOperation {
  readonly operation: Operation;
  readonly texts: readonly string[];
  readonly signature: HeadSignature | null;
}

/** One signature covers every entry before it; with this many between two, a reader need not wait long for the next. */
const SIGN_EVERY = 64;
/**
 * The same in characters of payloads. What stands between two signatures fits into one page of a relay with room to spare:
 * a page without any is nothing that a reader could take in.
 */
const SIGN_EVERY_CHARACTERS = RELAY_BATCH_CHARACTERS / 16;
/** A payload that names long texts, which travel with it, and may fill a page by themselves. */
const NAMES_A_LONG_TEXT = '"inline":null';

/** What signs a journal. */
export interface JournalSigner {
  readonly publicKey: string;
  sign(head: SignedHead): string;
}

/**
 * Entries of this device's own journal after place `after`, at most `limit`. `fromSeq` is a place in the record before which
 * none of them is; a place in the journal is one, since no entry stands further to the front in the record.
 */
export function readOwnRows(
  { db, journal }: Connection,
  of: { readonly after: number; readonly fromSeq: number; readonly limit: number },
): readonly OpRow[] {
  return readAll<OpRow>(
    db,
    'SELECT * FROM ops WHERE seq > ? AND device_id = ? AND journal_seq > ? ORDER BY seq LIMIT ?',
    Math.max(of.after, of.fromSeq),
    journal.deviceId,
    of.after,
    of.limit,
  );
}

/**
 * Signs the last of these entries and some between, inside a write of the store. An entry must look the same however often it
 * is handed over, so what was signed once stays so, and what was passed over once stays without.
 */
export function signRows({ db, journal }: Connection, rows: readonly OpRow[], signer: JournalSigner): void {
  const sql = 'SELECT max(journal_seq) AS seq FROM signatures WHERE device_id = ?';
  const signedUpTo = readOne<{ seq: number | null }>(db, sql, journal.deviceId)?.seq ?? 0;
  const fresh = rows.filter((row) => row.journal_seq > signedUpTo);
  let unsigned = { count: 0, characters: 0 };
  for (const [index, row] of fresh.entries()) {
    unsigned = { count: unsigned.count + 1, characters: unsigned.characters + row.payload.length };
    if (!isDue(row, fresh[index + 1], unsigned)) continue;
    unsigned = { count: 0, characters: 0 };
    const head = { deviceId: row.device_id, seq: row.journal_seq, opId: row.op_id };
    change(
      db,
      'INSERT OR IGNORE INTO signatures (device_id, journal_seq, op_id, signature) VALUES (?,?,?,?)',
      head.deviceId,
      head.seq,
      head.opId,
      signer.sign(head),
    );
  }
}

function isDue(row: OpRow, next: OpRow | undefined, unsigned: { readonly count: number; readonly characters: number }) {
  // What brings a key is signed by itself: whoever reads it may not be able to open what comes after it yet.
  if (next === undefined || row.kind === 'sync.keys-rotated') return true;
  if (unsigned.count >= SIGN_EVERY || unsigned.characters + next.payload.length > SIGN_EVERY_CHARACTERS) return true;
  // What is long stands by itself, with a signature before it and one of its own.
  return row.payload.includes(NAMES_A_LONG_TEXT) || next.payload.includes(NAMES_A_LONG_TEXT);
}

/** The entries with their signatures and the long texts that they name. */
export function outgoingOf({ db }: Connection, rows: readonly OpRow[], signer: JournalSigner): OutgoingOperation[] {
  return rows.map((row) => {
    const sql = 'SELECT signature FROM signatures WHERE device_id = ? AND journal_seq = ?';
    const signed = readOne<{ signature: string }>(db, sql, row.device_id, row.journal_seq);
    const signature = signed === null ? null : { publicKey: signer.publicKey, signature: signed.signature };
    return { operation: operationOf(row), texts: textsOf(db, row.payload), signature };
  });
}

/** The bodies of texts that a payload names by digest and does not hold itself. */
function textsOf(db: Connection['db'], payload: string): readonly string[] {
  if (!payload.includes(NAMES_A_LONG_TEXT)) return [];
  const digests = new Set<string>();
  JSON.parse(payload, (_name, value: unknown) => {
    if (isKeptText(value)) digests.add(value.digest);
    return value;
  });
  return [...digests].flatMap((digest) => {
    const kept = readOne<{ body: string }>(db, 'SELECT body FROM blobs WHERE digest = ?', digest);
    return kept === null ? [] : [kept.body];
  });
}

function isKeptText(value: unknown): value is { digest: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'inline' in value &&
    value.inline === null &&
    'digest' in value &&
    typeof value.digest === 'string'
  );
}

/** As many as one message takes; the first always fits. */
export function sealAll(
  ring: KeyRing,
  outgoing: readonly OutgoingOperation[],
  keyEpochOf: (seq: number) => number,
): Result<readonly SealedOperation[], Problem> {
  const all: SealedOperation[] = [];
  let characters = 0;
  for (const each of outgoing) {
    const sealed = sealOperation(ring, { ...each, keyEpoch: keyEpochOf(each.operation.seq) });
    if (!sealed.ok) {
      const what = `Entry ${each.operation.seq} of this device cannot be handed over (${sealed.error.kind}).`;
      return err(problem('internal', what, 'Export the record of this device and report this.'));
    }
    characters += sealed.value.box.length;
    if (all.length > 0 && characters > RELAY_BATCH_CHARACTERS) break;
    all.push(sealed.value);
  }
  return ok(all);
}
