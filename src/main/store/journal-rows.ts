import type { Database } from 'better-sqlite3';
import type { LedgerEvent, RecordedEvent } from '../../shared/contract/events.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { laterHybridTime } from '../../shared/core/sync/hybrid-clock.ts';
import type { HybridTime } from '../../shared/core/sync/hybrid-clock.ts';
import { checkLinkOverGaps } from '../../shared/core/sync/operation.ts';
import type { ChainHead, ChainProblem, Operation } from '../../shared/core/sync/operation.ts';
import { prepared, readAll, sha256 } from './connection.ts';
import { readCut } from './journal-cuts.ts';

/** An entry as the record keeps it. */
export interface OpRow {
  seq: number;
  op_id: string;
  prev_hash: string;
  device_id: DeviceId;
  wall_ms: number;
  counter: number;
  kind: string;
  run_id: string | null;
  payload: string;
  journal_seq: number;
  epoch: number;
  agent_id: string | null;
}

/** Entries in the order of the fold; see `compareFoldPlaces`, which says the same. */
export const FOLD_ORDER = 'epoch, wall_ms, counter, op_id';

/** Which run and which agent a payload is about; `null` for none. Also of kinds that this version does not know. */
export function aboutOf(payload: unknown): { readonly runId: string | null; readonly agentId: string | null } {
  if (typeof payload !== 'object' || payload === null) return { runId: null, agentId: null };
  const of = 'effect' in payload && typeof payload.effect === 'object' && payload.effect !== null ? payload.effect : {};
  const read = (name: 'runId' | 'agentId'): string | null => {
    const value: unknown = Reflect.get(payload, name) ?? Reflect.get(of, name);
    return typeof value === 'string' ? value : null;
  };
  return { runId: read('runId'), agentId: read('agentId') };
}

/** Reads one row of the record back into an event. */
export function eventOf(row: OpRow): RecordedEvent {
  const event = { kind: row.kind, payload: JSON.parse(row.payload) as unknown } as LedgerEvent;
  const { seq, epoch, journal_seq: journalSeq, op_id: opId, device_id: deviceId, wall_ms: atMs } = row;
  return { ...event, seq, journalSeq, epoch, opId, deviceId, atMs };
}

/** The row as the operation that its author's journal holds. */
export function operationOf(row: OpRow): Operation {
  return {
    opId: row.op_id,
    deviceId: row.device_id,
    seq: row.journal_seq,
    prevHash: row.prev_hash,
    time: { wallMs: row.wall_ms, counter: row.counter },
    epoch: row.epoch,
    kind: row.kind,
    payload: row.payload,
  };
}

/** The events of one run in the order of the fold, or all that this record holds in the order in which they came. */
export function* readEvents(db: Database, runId: string | null = null): Generator<RecordedEvent> {
  const rows =
    runId === null
      ? prepared(db, 'SELECT * FROM ops ORDER BY seq').iterate()
      : prepared(db, `SELECT * FROM ops WHERE run_id = ? ORDER BY ${FOLD_ORDER}`).iterate(runId);
  for (const row of rows) yield eventOf(row as OpRow);
}

/** Checks every link and hash of one device's journal; `null` means the whole chain is sound, above and below its cut. */
export function verifyJournal(db: Database, deviceId: string): ChainProblem | null {
  const cut = readCut(db, deviceId);
  let head: ChainHead = { deviceId, seq: 0, opId: '' };
  for (const raw of prepared(db, 'SELECT * FROM ops WHERE device_id = ? ORDER BY journal_seq').iterate(deviceId)) {
    const operation = operationOf(raw as OpRow);
    const found = checkLinkOverGaps(head, operation, { cut, digest: sha256 });
    if (found !== null) return found;
    head = { deviceId: operation.deviceId, seq: operation.seq, opId: operation.opId };
  }
  // The newest entry of a journal is never dropped.
  return head.seq < cut.seq ? { kind: 'gap', seq: cut.seq, found: head.seq } : null;
}

/** The newest stamp of this device's own last entry and of the journals of other devices. */
export function newestTime(db: Database, last: Pick<OpRow, 'wall_ms' | 'counter'> | null): HybridTime {
  const heads = readAll<Pick<OpRow, 'wall_ms' | 'counter'>>(db, 'SELECT wall_ms, counter FROM journals');
  return [...heads, ...(last === null ? [] : [last])]
    .map((row) => ({ wallMs: row.wall_ms, counter: row.counter }))
    .reduce(laterHybridTime, { wallMs: 0, counter: 0 });
}
