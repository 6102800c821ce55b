import type { Database } from 'better-sqlite3';
import { change, readOne } from './connection.ts';

/**
 * The newest grant of an agent that anything here names. What is projected may say less: a grant of another register does not
 * count there, nor one that a device told of after it was let go. What is written next comes behind all of them all the same.
 */
export function newestGrant(db: Database, agentId: string): number {
  const sql = `SELECT max(epoch) AS epoch FROM (SELECT epoch FROM newest_grants WHERE agent_id = ?
    UNION ALL SELECT epoch FROM high_water WHERE agent_id = ?)`;
  return readOne<{ epoch: number | null }>(db, sql, agentId, agentId)?.epoch ?? 0;
}

/** Notes a grant that an entry names. Inside a write of the store. */
export function noteGrant(db: Database, agentId: string, epoch: number): void {
  const sql = `INSERT INTO newest_grants (agent_id, epoch) VALUES (?,?)
    ON CONFLICT (agent_id) DO UPDATE SET epoch = excluded.epoch WHERE excluded.epoch > epoch`;
  change(db, sql, agentId, epoch);
}
