import type { Database } from 'better-sqlite3';
import { change, readAll, readOne } from './connection.ts';

/** How entries about no agent are named; no agent has an empty id. */
export const NO_AGENT = '';

/** A group of entries that were taken in and are projected later. */
export interface StaleName {
  readonly kind: 'agent' | 'run';
  readonly id: string;
}

export function isStale(db: Database, { kind, id }: StaleName): boolean {
  return readOne(db, 'SELECT 1 FROM stale_groups WHERE kind = ? AND id = ?', kind, id) !== null;
}

export function noteStale(db: Database, { kind, id }: StaleName): void {
  change(db, 'INSERT OR IGNORE INTO stale_groups (kind, id) VALUES (?,?)', kind, id);
}

/** Notes every group that a device wrote about after an entry of its journal. */
export function noteStaleAfter(db: Database, deviceId: string, seq: number): void {
  const sql = 'SELECT DISTINCT agent_id AS agentId, run_id AS runId FROM ops WHERE device_id = ? AND journal_seq > ?';
  for (const { agentId, runId } of readAll<{ agentId: string | null; runId: string | null }>(db, sql, deviceId, seq)) {
    if (agentId !== null) noteStale(db, { kind: 'agent', id: agentId });
    if (runId !== null) noteStale(db, { kind: 'run', id: runId });
  }
}
