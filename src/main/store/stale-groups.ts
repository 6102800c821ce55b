import type { Database } from 'better-sqlite3';
import { change, readAll, readOne } from './connection.ts';
import { agentGroup, reproject, runGroup } from './projections/reproject.ts';
import type { FoldGroup } from './projections/reproject.ts';
import { isStale, NO_AGENT } from './stale-names.ts';
import type { StaleName } from './stale-names.ts';

/** The entries that a name stands for. */
export function groupOf(db: Database, { kind, id }: StaleName): FoldGroup {
  return kind === 'run' ? runGroup(db, id) : agentGroup(id === NO_AGENT ? null : id);
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
