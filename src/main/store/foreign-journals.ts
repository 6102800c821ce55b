import type { Database } from 'better-sqlite3';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import type { HybridTime } from '../../shared/core/sync/hybrid-clock.ts';
import type { Frontier } from '../../shared/core/sync/sealed.ts';
import { change, readAll, readOne } from './connection.ts';

/** Where the journal of another device stands in this record. */
export interface JournalHead {
  readonly deviceId: DeviceId;
  readonly seq: number;
  readonly opId: string;
  readonly time: HybridTime;
}

interface HeadRow {
  device_id: DeviceId;
  journal_seq: number;
  op_id: string;
  wall_ms: number;
  counter: number;
}

function headOf(row: HeadRow): JournalHead {
  const time = { wallMs: row.wall_ms, counter: row.counter };
  return { deviceId: row.device_id, seq: row.journal_seq, opId: row.op_id, time };
}

/** The journals of other devices that are folded here, by device id. */
export function readJournalHeads(db: Database): readonly JournalHead[] {
  return readAll<HeadRow>(db, 'SELECT * FROM journals ORDER BY device_id').map(headOf);
}

/** Where one of them stands; at its beginning if nothing of it is known. */
export function readJournalHead(db: Database, deviceId: DeviceId): JournalHead {
  const row = readOne<HeadRow>(db, 'SELECT * FROM journals WHERE device_id = ?', deviceId);
  return row === null ? { deviceId, seq: 0, opId: '', time: { wallMs: 0, counter: 0 } } : headOf(row);
}

/** Up to where each journal of another device is folded here. */
export function foldedUpTo(db: Database): Frontier {
  return Object.fromEntries(readJournalHeads(db).map((head) => [head.deviceId, head.seq]));
}

/** Keeps where a journal stands. Inside a write of the store. */
export function writeJournalHead(db: Database, head: JournalHead): void {
  change(
    db,
    `INSERT INTO journals (device_id, journal_seq, op_id, wall_ms, counter) VALUES (?,?,?,?,?)
     ON CONFLICT (device_id) DO UPDATE SET journal_seq = excluded.journal_seq, op_id = excluded.op_id,
       wall_ms = excluded.wall_ms, counter = excluded.counter`,
    head.deviceId,
    head.seq,
    head.opId,
    head.time.wallMs,
    head.time.counter,
  );
}
