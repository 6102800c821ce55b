import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { DeviceId, Digest } from '../../shared/contract/identifiers.ts';
import {
  CONDENSED_LEDGER_FORMAT,
  LEDGER_FORMAT,
  longTextsOf,
  writeLedgerLine,
} from '../../shared/contract/ledger-file.ts';
import type { ChainHead } from '../../shared/core/sync/operation.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { publicKeyOf } from '../hub/proofs.ts';
import { signHead } from '../relays/seal/sign-journal.ts';
import { devicesOfRecord } from './activity-places.ts';
import { prepared, readAll, readOne } from './connection.ts';
import { openReadOnly } from './database.ts';
import { readCuts } from './journal-cuts.ts';
import type { OpRow } from './journal-rows.ts';
import { signCut, signLedger } from './ledger-signature.ts';
import { closeQuietly, sqliteCodeOf } from './open-sqlite.ts';
import { readProfile } from './profile-values.ts';
import { openingProblem } from './sqlite-problem.ts';

/** So many entries are in memory at a time. */
const PAGE_ENTRIES = 50;

/** What is exported. */
interface LedgerExportOptions {
  /** Only the entries about it are given in full; `null` for all. */
  readonly agentId: string | null;
  readonly runId: string | null;
  /** Only entries from this moment on and before that one are given in full, wall ms of the device that wrote them. */
  readonly fromMs?: number | null;
  readonly untilMs?: number | null;
  readonly exportedAtMs: number;
  /** The Ed25519 key of this device (private part, PKCS #8, base64url); `null` where it cannot be read: nothing is signed then. */
  readonly privateKey: string | null;
}

/** A ledger that is being exported. */
interface OpenLedger {
  /** All lines, each with its line feed, once; made as they are asked for. @throws SqliteError when the disk fails. */
  readonly lines: Iterable<string>;
  /** Whether this device signs the file: the key can be read and is the one that its journal was signed with before. */
  readonly isSigned: boolean;
  readonly deviceId: DeviceId;
  /** How many entries were given so far, in full or as an id, and how many there will be. */
  readonly progress: () => { readonly entries: number; readonly total: number };
  readonly close: () => void;
}

interface HeadRow {
  device_id: DeviceId;
  journal_seq: number;
  op_id: string;
  seq: number;
}

interface SignatureRow {
  journal_seq: number;
  op_id: string;
  signature: string;
}

/**
 * Opens the record of a profile for export, also while the application runs. Where the journals end is looked up now; since
 * entries are never changed, no transaction holds up the application while somebody reads slowly.
 */
export function openLedger(profileFolder: string, options: LedgerExportOptions): Result<OpenLedger, Problem> {
  const file = join(profileFolder, 'fencepost.sqlite');
  if (!existsSync(file)) {
    const message = `There is no record in the folder ${profileFolder}.`;
    return err(problem('not-found', message, 'Name the data folder with --profile.'));
  }
  const opened = openReadOnly(file);
  if (!opened.ok) return opened;
  const db = opened.value;
  try {
    if (readOne(db, `SELECT 1 FROM sqlite_schema WHERE name = 'journal_cuts'`) === null) {
      closeQuietly(db);
      const message = 'This record was written by an older version of Fencepost, or by another program.';
      return err(problem('store-unsure', message, 'Start this version with the profile once, then export again.'));
    }
    const unknown = askedProblem(db, options);
    if (unknown !== null) {
      closeQuietly(db);
      return err(unknown);
    }
    const ledger = new LedgerExport(db, options);
    const { isSigned, deviceId } = ledger;
    const progress = () => ledger.progress();
    return ok({ lines: ledger.lines(), isSigned, deviceId, progress, close: () => closeQuietly(db) });
  } catch (cause) {
    closeQuietly(db);
    // Anything else is a fault of the program.
    if (sqliteCodeOf(cause) === '') throw cause;
    return err(openingProblem(file, cause));
  }
}

/** Nothing but ids would be a puzzling answer to a name that was mistyped. */
function askedProblem(db: Database, { agentId, runId }: LedgerExportOptions): Problem | null {
  const sql =
    'SELECT 1 FROM ops WHERE (@agentId IS NULL OR agent_id = @agentId) AND (@runId IS NULL OR run_id = @runId) LIMIT 1';
  if ((agentId === null && runId === null) || readOne(db, sql, { agentId, runId }) !== null) return null;
  const what = runId === null ? 'this agent' : agentId === null ? 'this run' : 'this run of this agent';
  return problem('not-found', `The record has no entries about ${what}.`, 'Nothing was exported. Check the id.');
}

class LedgerExport {
  readonly #db: Database;
  readonly #options: LedgerExportOptions;
  readonly #ownId: DeviceId;
  readonly #heads: readonly HeadRow[];
  readonly #cuts: ReadonlyMap<string, ChainHead>;
  /** `null` where the file cannot be signed. */
  readonly #privateKey: string | null;
  readonly #hash = createHash('sha256');
  readonly #givenTexts = new Set<string>();
  readonly #counts = { entries: 0, stubs: 0, texts: 0, signatures: 0 };

  constructor(db: Database, options: LedgerExportOptions) {
    this.#db = db;
    this.#options = options;
    this.#ownId = (readProfile(db, 'device-id') ?? '') as DeviceId;
    const headSql = 'SELECT device_id, journal_seq, op_id, seq FROM ops WHERE device_id = ? ORDER BY seq DESC LIMIT 1';
    const found = devicesOfRecord(db).flatMap((device) => readAll<HeadRow>(db, headSql, device));
    const isNew = found.every((head) => head.device_id !== this.#ownId);
    this.#heads = [...(isNew ? [{ device_id: this.#ownId, journal_seq: 0, op_id: '', seq: 0 }] : []), ...found];
    this.#cuts = new Map(readCuts(db).map((cut) => [cut.deviceId, cut]));
    const kept = this.#keptKey(this.#ownId);
    const own = options.privateKey === null ? null : publicKeyOf(options.privateKey);
    this.#privateKey = kept === null || kept === own ? options.privateKey : null;
  }

  get isSigned(): boolean {
    return this.#privateKey !== null;
  }

  get deviceId(): DeviceId {
    return this.#ownId;
  }

  progress(): { readonly entries: number; readonly total: number } {
    const total = this.#heads.reduce((sum, head) => sum + head.journal_seq, 0);
    return { entries: this.#counts.entries + this.#counts.stubs, total };
  }

  *lines(): Generator<string> {
    const { agentId, runId, fromMs = null, untilMs = null, exportedAtMs } = this.#options;
    yield this.#counted(
      writeLedgerLine('header', {
        fencepost: 'ledger',
        format: this.#cuts.size > 0 ? CONDENSED_LEDGER_FORMAT : LEDGER_FORMAT,
        exportedAtMs,
        ofDevice: this.#ownId,
        onlyAgent: agentId,
        onlyRun: runId,
        // Left out where no time was asked for: the file is then the same as ever.
        ...(fromMs === null ? {} : { onlyFromMs: fromMs }),
        ...(untilMs === null ? {} : { onlyUntilMs: untilMs }),
        heads: this.#heads.map((head) => ({
          device: head.device_id,
          seq: head.journal_seq,
          id: head.op_id as Digest | '',
        })),
      }),
    );
    for (const head of this.#heads) yield* this.#journal(head);
    const sha256 = this.#hash.digest('hex') as Digest;
    const signature =
      this.#privateKey === null ? null : signLedger(this.#privateKey, { deviceId: this.#ownId, sha256 });
    yield `${writeLedgerLine('footer', { ...this.#counts, sha256, signature })}\n`;
  }

  *#journal(head: HeadRow): Generator<string> {
    const device = head.device_id;
    const publicKey = this.#publicKey(device);
    if (publicKey !== null) yield this.#counted(writeLedgerLine('key', { device, publicKey }));
    const cut = this.#cuts.get(device);
    if (cut !== undefined) yield this.#cut(device, cut);
    const page = prepared(
      this.#db,
      `SELECT * FROM ops WHERE device_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${PAGE_ENTRIES}`,
    );
    for (let after = 0; ;) {
      const rows = page.all(device, after, head.seq) as OpRow[];
      const last = rows.at(-1);
      if (last === undefined) return;
      // Without a key nobody can tell what a signature is worth.
      const signatures = publicKey === null ? new Map<number, SignatureRow>() : this.#signatures(head, rows);
      for (const row of rows) {
        yield* this.#entry(row);
        const signed = signatures.get(row.journal_seq);
        if (signed !== undefined) yield this.#signature(device, signed);
      }
      after = last.seq;
    }
  }

  #cut(device: DeviceId, { seq, opId }: ChainHead): string {
    const said = { byDevice: this.#ownId, deviceId: device, seq, opId };
    const cutSignature = this.#privateKey === null ? null : signCut(this.#privateKey, said);
    return this.#counted(writeLedgerLine('cut', { device, cutSeq: seq, cutId: opId as Digest, cutSignature }));
  }

  *#entry(row: OpRow): Generator<string> {
    const place = { device: row.device_id, seq: row.journal_seq, prev: row.prev_hash as Digest | '' };
    const id = row.op_id as Digest;
    if (!this.#isAsked(row)) {
      this.#counts.stubs += 1;
      yield this.#counted(writeLedgerLine('stub', { ...place, id }));
      return;
    }
    const { wall_ms: wallMs, counter, epoch, kind, payload } = row;
    this.#counts.entries += 1;
    yield this.#counted(writeLedgerLine('entry', { ...place, wallMs, counter, epoch, kind, payload, id }));
    for (const digest of longTextsOf(payload) ?? []) {
      if (this.#givenTexts.has(digest)) continue;
      const text = readOne<{ body: string }>(this.#db, 'SELECT body FROM blobs WHERE digest = ?', digest);
      // Left out where the record has lost it: whoever checks the file is told so.
      if (text === null) continue;
      this.#givenTexts.add(digest);
      this.#counts.texts += 1;
      yield this.#counted(writeLedgerLine('text', { text: digest as Digest, body: text.body }));
    }
  }

  /** What was signed up to the entries of a page; the newest own entry is signed now, unless it is already. */
  #signatures(head: HeadRow, rows: readonly OpRow[]): Map<number, SignatureRow> {
    const found = readAll<SignatureRow>(
      this.#db,
      'SELECT journal_seq, op_id, signature FROM signatures WHERE device_id = ? AND journal_seq BETWEEN ? AND ?',
      head.device_id,
      rows[0]?.journal_seq,
      rows.at(-1)?.journal_seq,
    );
    const signatures = new Map(found.map((row) => [row.journal_seq, row]));
    const { journal_seq: seq, op_id: opId, device_id: deviceId } = head;
    const isOwnEnd = deviceId === this.#ownId && rows.at(-1)?.seq === head.seq;
    if (isOwnEnd && this.#privateKey !== null && !signatures.has(seq)) {
      const signature = signHead(this.#privateKey, { deviceId, seq, opId });
      signatures.set(seq, { journal_seq: seq, op_id: opId, signature });
    }
    return signatures;
  }

  #signature(device: DeviceId, { journal_seq: seq, op_id: id, signature }: SignatureRow): string {
    this.#counts.signatures += 1;
    return this.#counted(writeLedgerLine('signature', { device, seq, id: id as Digest, signature }));
  }

  #isAsked(row: OpRow): boolean {
    const { agentId, runId, fromMs = null, untilMs = null } = this.#options;
    if (fromMs !== null && row.wall_ms < fromMs) return false;
    if (untilMs !== null && row.wall_ms >= untilMs) return false;
    return (agentId === null || row.agent_id === agentId) && (runId === null || row.run_id === runId);
  }

  #publicKey(deviceId: DeviceId): string | null {
    if (deviceId === this.#ownId && this.#privateKey !== null) return publicKeyOf(this.#privateKey);
    return this.#keptKey(deviceId);
  }

  #keptKey(deviceId: DeviceId): string | null {
    const sql = 'SELECT public_key FROM journal_keys WHERE device_id = ?';
    return readOne<{ public_key: string }>(this.#db, sql, deviceId)?.public_key ?? null;
  }

  #counted(line: string): string {
    const whole = `${line}\n`;
    this.#hash.update(whole);
    return whole;
  }
}
