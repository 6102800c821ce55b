import type { Database } from 'better-sqlite3';
import { INLINE_LIMIT_BYTES } from '../../shared/contract/stored-text.ts';
import type { EventKind, EventPayloads, LedgerEvent, RecordedEvent } from '../../shared/contract/events.ts';
import type { StoredText } from '../../shared/contract/stored-text.ts';
import { tickHybridTime } from '../../shared/core/sync/hybrid-clock.ts';
import type { HybridTime } from '../../shared/core/sync/hybrid-clock.ts';
import { checkLink, operationText, payloadText } from '../../shared/core/sync/operation.ts';
import type { ChainProblem, Operation } from '../../shared/core/sync/operation.ts';
import type { Json } from '../../shared/lib/canonical-json.ts';
import { change, prepared, readOne, sha256 } from './connection.ts';
import { projectEvent } from './projections/project-event.ts';

/** What changed since the journal was last asked; told to the windows after the commit. */
export interface Touched {
  readonly runIds: Set<string>;
  readonly agentIds: Set<string>;
}

interface Head {
  readonly seq: number;
  readonly opId: string;
  readonly time: HybridTime;
}

interface OpRow {
  seq: number;
  op_id: string;
  prev_hash: string;
  device_id: string;
  wall_ms: number;
  counter: number;
  kind: string;
  payload: string;
}

/** This device's hash-chained journal. Every event and its projections are written in the caller's transaction. */
export class Journal {
  readonly #db: Database;
  readonly #deviceId: string;
  readonly #wallMs: () => number;
  #head: Head;
  #touched: Touched = { runIds: new Set(), agentIds: new Set() };

  constructor(db: Database, deviceId: string, wallMs: () => number) {
    this.#db = db;
    this.#deviceId = deviceId;
    this.#wallMs = wallMs;
    const last = readOne<OpRow>(db, 'SELECT * FROM ops ORDER BY seq DESC LIMIT 1');
    this.#head =
      last === null
        ? { seq: 0, opId: '', time: { wallMs: 0, counter: 0 } }
        : { seq: last.seq, opId: last.op_id, time: { wallMs: last.wall_ms, counter: last.counter } };
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
  }

  /** Appends one event and applies it to the projections. Call it inside a transaction only. */
  append<Kind extends EventKind>(kind: Kind, payload: EventPayloads[Kind]): RecordedEvent {
    const time = tickHybridTime(this.#head.time, this.#wallMs());
    const text = payloadText(payload as unknown as Json);
    const draft = {
      deviceId: this.#deviceId,
      seq: this.#head.seq + 1,
      prevHash: this.#head.opId,
      time,
      kind,
      payload: text,
    };
    const opId = sha256(operationText(draft));
    const ids = payload as { runId?: string; agentId?: string; effect?: { runId: string; agentId: string } };
    const runId = ids.runId ?? ids.effect?.runId ?? null;
    const agentId = ids.agentId ?? ids.effect?.agentId ?? null;
    change(
      this.#db,
      'INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload) VALUES (?,?,?,?,?,?,?,?,?)',
      draft.seq,
      opId,
      draft.prevHash,
      draft.deviceId,
      time.wallMs,
      time.counter,
      kind,
      runId,
      text,
    );
    this.#head = { seq: draft.seq, opId, time };
    if (runId !== null) this.#touched.runIds.add(runId);
    if (agentId !== null) this.#touched.agentIds.add(agentId);
    const event = { kind, payload, seq: draft.seq, opId, deviceId: this.#deviceId, atMs: time.wallMs } as RecordedEvent;
    projectEvent(this.#db, event, text);
    return event;
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

/** Reads one row of the journal back into an event. */
export function eventOf(row: OpRow): RecordedEvent {
  const event = { kind: row.kind, payload: JSON.parse(row.payload) as unknown } as LedgerEvent;
  return { ...event, seq: row.seq, opId: row.op_id, deviceId: row.device_id, atMs: row.wall_ms };
}

/** The events of one run, or of the whole journal, in order. */
export function* readEvents(db: Database, runId: string | null = null): Generator<RecordedEvent> {
  const rows =
    runId === null
      ? prepared(db, 'SELECT * FROM ops ORDER BY seq').iterate()
      : prepared(db, 'SELECT * FROM ops WHERE run_id = ? ORDER BY seq').iterate(runId);
  for (const row of rows) yield eventOf(row as OpRow);
}

/** Checks every link and hash; `null` means the whole chain is sound. */
export function verifyJournal(db: Database, deviceId: string): ChainProblem | null {
  let head = { deviceId, seq: 0, opId: '' };
  for (const raw of prepared(db, 'SELECT * FROM ops ORDER BY seq').iterate()) {
    const row = raw as OpRow;
    const operation: Operation = {
      opId: row.op_id,
      deviceId: row.device_id,
      seq: row.seq,
      prevHash: row.prev_hash,
      time: { wallMs: row.wall_ms, counter: row.counter },
      kind: row.kind,
      payload: row.payload,
    };
    const found = checkLink(head, operation, sha256);
    if (found !== null) return found;
    head = { deviceId, seq: operation.seq, opId: operation.opId };
  }
  return null;
}
