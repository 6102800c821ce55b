import type { Database } from 'better-sqlite3';
import { change, readAll, readOne } from './connection.ts';
import { agentGroup, reproject, runGroup } from './projections/reproject.ts';
import type { FoldGroup } from './projections/reproject.ts';

/** How entries about no agent are named; no agent has an empty id. */
export const NO_AGENT = '';

/** A group of entries that were taken in and are projected later. */
export interface StaleName {
  readonly kind: 'agent' | 'run';
  readonly id: string;
}

/** The entries that a name stands for. */
export function groupOf(db: Database, { kind, id }: StaleName): FoldGroup {
  return kind === 'run' ? runGroup(db, id) : agentGroup(id === NO_AGENT ? null : id);
}

export function isStale(db: Database, { kind, id }: StaleName): boolean {
  return readOne(db, 'SELECT 1 FROM stale_groups WHERE kind = ? AND id = ?', kind, id) !== null;
}

export function noteStale(db: Database, { kind, id }: StaleName): void {
  change(db, 'INSERT OR IGNORE INTO stale_groups (kind, id) VALUES (?,?)', kind, id);
}

/** How many groups wait. Nothing may act on a record in which one does. */
export function staleCount(db: Database): number {
  return readOne<{ count: number }>(db, 'SELECT count(*) AS count FROM stale_groups')?.count ?? 0;
}

/** Projects up to `limit` of them, inside a write of the store; answers how many are left. */
export function projectStale(db: Database, limit: number): number {
  // Agents first: what they are called, and what they may do.
  const names = readAll<StaleName>(db, 'SELECT kind, id FROM stale_groups ORDER BY kind, id LIMIT ?', limit);
  for (const name of names) {
    if (!isStale(db, name)) continue;
    const group = groupOf(db, name);
    reproject(db, group);
    const ids = name.kind === 'run' ? (group.parameter ?? '[]') : JSON.stringify([name.id]);
    change(db, 'DELETE FROM stale_groups WHERE kind = ? AND id IN (SELECT value FROM json_each(?))', name.kind, ids);
  }
  return staleCount(db);
}
