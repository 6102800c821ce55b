import type { Database } from 'better-sqlite3';
import { change, readOne } from './connection.ts';

/** What a person calls a run on this device: given once, and kept however often the projections are made again. */
export function runNumberOf(db: Database, runId: string): number {
  change(db, 'INSERT OR IGNORE INTO run_numbers (run_id) VALUES (?)', runId);
  const sql = 'SELECT run_number AS runNumber FROM run_numbers WHERE run_id = ?';
  return readOne<{ runNumber: number }>(db, sql, runId)?.runNumber ?? 0;
}
