import type { Database } from 'better-sqlite3';
import { INLINE_LIMIT_BYTES } from '../../shared/contract/stored-text.ts';
import type { EventKind, EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import type { StoredText } from '../../shared/contract/stored-text.ts';
import { laterHybridTime, tickHybridTime } from '../../shared/core/sync/hybrid-clock.ts';
import type { HybridTime } from '../../shared/core/sync/hybrid-clock.ts';
import { operationText, payloadText } from '../../shared/core/sync/operation.ts';
import type { Json } from '../../shared/lib/canonical-json.ts';
import { keepBase, runsOf } from './compacted-runs.ts';
import { change, readOne, sha256 } from './connection.ts';
import { aboutOf, newestTime } from './journal-rows.ts';
import type { OpRow } from './journal-rows.ts';
import { newestGrant, noteGrant } from './newest-grants.ts';
import { projectEvent } from './projections/project-event.ts';

/** What changed since the journal was last asked; told to the windows after the commit. */
export interface Touched {
  readonly runIds: Set<string>;
  readonly agentIds: Set<string>;
}

/** Where a record stands. A new object after every entry. */
export interface Head {
  /** The place of the newest entry in this device's record, its own or another device's. */
  readonly seq: number;
  /** The place of the newest entry of this device's own journal, and its id. */
  readonly journalSeq: number;
  readonly opId: string;
  /** The newest stamp that was issued or seen here. */
  readonly time: HybridTime;
}

const TELLS_OF_A_GRANT: ReadonlySet<string> = new Set<EventKind>([
  'lease.acquired',
  'lease.observed',
  'lease.moved',
  'lease.bumped',
]);

/** This device's hash-chained journal. Every event and its projections are written in the caller's transaction. */
export class Journal {
  readonly #db: Database;
  readonly #deviceId: string;
  readonly #wallMs: () => number;
  #head: Head;
  #touched: Touched = { runIds: new Set(), agentIds: new Set() };
  /** The newest grant of each agent that this record knows of, as far as it was asked for. */
  readonly #epochs = new Map<string, number>();

  constructor(db: Database, deviceId: string, wallMs: () => number) {
    this.#db = db;
    this.#deviceId = deviceId;
    this.#wallMs = wallMs;
    const own = 'SELECT * FROM ops WHERE device_id = ? ORDER BY seq DESC LIMIT 1';
    const last = readOne<OpRow>(db, own, deviceId);
    const seq = readOne<{ seq: number | null }>(db, 'SELECT max(seq) AS seq FROM ops')?.seq ?? 0;
    this.#head = { seq, journalSeq: last?.journal_seq ?? 0, opId: last?.op_id ?? '', time: newestTime(db, last) };
  }

  /** The place reached; give it back to `reset` when the transaction is rolled back. */
  get head(): Head {
    return this.#head;
  }

  /** The device whose journal this is. */
  get deviceId(): string {
    return this.#deviceId;
  }

  /** The newest time that this record knows of, wall ms: a calendar that was set back behind it is not believed. */
  nowMs(): number {
    return Math.max(this.#head.time.wallMs, this.#wallMs());
  }

  reset(head: Head): void {
    this.#head = head;
    this.#epochs.clear();
  }

  /** Entries of other devices have been folded up to `seq`: what is written next comes after all of them. */
  advance(to: { readonly seq: number; readonly time: HybridTime }, touched: Touched): void {
    this.#head = { ...this.#head, seq: to.seq, time: laterHybridTime(this.#head.time, to.time) };
    this.#epochs.clear();
    for (const runId of touched.runIds) this.#touched.runIds.add(runId);
    for (const agentId of touched.agentIds) this.#touched.agentIds.add(agentId);
  }

  /** Appends one event and applies it to the projections. Call it inside a transaction only. */
  append<Kind extends EventKind>(kind: Kind, payload: EventPayloads[Kind]): RecordedEvent {
    const time = tickHybridTime(this.#head.time, this.#wallMs());
    const text = payloadText(payload as unknown as Json);
    const { runId, agentId } = aboutOf(payload);
    const epoch = this.#epochOf(agentId, kind, payload);
    const seq = this.#head.seq + 1;
    const journalSeq = this.#head.journalSeq + 1;
    const prevHash = this.#head.opId;
    const deviceId = this.#deviceId;
    const opId = sha256(operationText({ deviceId, seq: journalSeq, prevHash, time, epoch, kind, payload: text }));
    change(
      this.#db,
      `INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload, journal_seq, epoch, agent_id)
       VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`,
      seq,
      opId,
      prevHash,
      deviceId,
      time.wallMs,
      time.counter,
      kind,
      runId,
      text,
      journalSeq,
      epoch,
      agentId,
    );
    this.#head = { seq, journalSeq, opId, time };
    if (runId !== null) this.#touched.runIds.add(runId);
    if (agentId !== null) this.#touched.agentIds.add(agentId);
    if (runId !== null) keepBase(this.#db, runsOf({ kind, run_id: runId, payload: text }));
    const event = { kind, payload, seq, journalSeq, epoch, opId, deviceId, atMs: time.wallMs } as RecordedEvent;
    projectEvent(this.#db, event, text);
    return event;
  }

  /** A grant counts from the very entry that tells of it. */
  #epochOf(agentId: string | null, kind: string, payload: object): number {
    if (agentId === null) return 0;
    const known = this.#epochs.get(agentId);
    let epoch = known ?? newestGrant(this.#db, agentId);
    if (TELLS_OF_A_GRANT.has(kind) && 'epoch' in payload) epoch = Math.max(epoch, Number(payload.epoch));
    if (epoch !== known && epoch > 0) noteGrant(this.#db, agentId, epoch);
    this.#epochs.set(agentId, epoch);
    return epoch;
  }

  /** Keeps a text by digest when it is long, so that the journal stays small. */
  keep(text: string): StoredText {
    const bytes = Buffer.byteLength(text, 'utf8');
    const digest = sha256(text);
    if (bytes <= INLINE_LIMIT_BYTES) return { digest, bytes, inline: text };
    change(this.#db, 'INSERT OR IGNORE INTO blobs (digest, body) VALUES (?, ?)', digest, text);
    return { digest, bytes, inline: null };
  }

  /** What was touched since the last call. */
  takeTouched(): Touched {
    const touched = this.#touched;
    this.#touched = { runIds: new Set(), agentIds: new Set() };
    return touched;
  }
}
