import type { Database } from 'better-sqlite3';
import type { ChainHead } from '../../shared/core/sync/operation.ts';
import { change, readAll, readOne } from './connection.ts';

interface CutRow {
  device_id: string;
  journal_seq: number;
  op_id: string;
}

/** Below which entry of a journal some are missing, because they were condensed; at its beginning where none is. */
export function readCut(db: Database, deviceId: string): ChainHead {
  const row = readOne<CutRow>(db, 'SELECT * FROM journal_cuts WHERE device_id = ?', deviceId);
  return { deviceId, seq: row?.journal_seq ?? 0, opId: row?.op_id ?? '' };
}

/** All of them, by device. */
export function readCuts(db: Database): readonly ChainHead[] {
  const rows = readAll<CutRow>(db, 'SELECT * FROM journal_cuts ORDER BY device_id');
  return rows.map((row) => ({ deviceId: row.device_id, seq: row.journal_seq, opId: row.op_id }));
}

/** Moves a cut on; one that is further already stays. Inside a write of the store. */
export function noteCut(db: Database, { deviceId, seq, opId }: ChainHead): void {
  const sql = `INSERT INTO journal_cuts (device_id, journal_seq, op_id) VALUES (?,?,?) ON CONFLICT (device_id) DO UPDATE SET
    journal_seq = excluded.journal_seq, op_id = excluded.op_id WHERE excluded.journal_seq > journal_seq`;
  change(db, sql, deviceId, seq, opId);
}
