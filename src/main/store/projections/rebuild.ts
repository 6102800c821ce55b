import type { Database } from 'better-sqlite3';
import { changedRoots, familyOfRoot, isBelowCompacted, restoreBase } from '../compacted-runs.ts';
import { readAll, readOne } from '../connection.ts';
import { FOLD_ORDER, operationOf } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { PROJECTION_TABLES } from '../migrations/0010-initial.ts';
import { clearRows, RUN_TABLES } from '../run-rows.ts';
import { projectEvent, projectOnAgent } from './project-event.ts';
import { agentGroup, projectRows, reproject } from './reproject.ts';

const ABOUT_AGENTS = `SELECT * FROM ops WHERE agent_id IS NOT NULL OR run_id IS NOT NULL ORDER BY ${FOLD_ORDER}`;

/**
 * Empties every projection and makes it again from all journals, in one transaction. What was condensed has no entries any
 * more: it stays as it stood then, and what came behind is projected on top.
 */
export function rebuildProjections(db: Database): void {
  db.transaction(() => {
    for (const table of PROJECTION_TABLES) clearTable(db, table);
    for (const root of changedRoots(db)) {
      clearRows(db, familyOfRoot(db, root));
      restoreBase(db, root);
    }
    // First who was let go, and up to where it counts.
    reproject(db, agentGroup(null));
    const all = {
      sql: ABOUT_AGENTS,
      parameter: '',
      clear: () => undefined,
      keep: () => undefined,
      project: projectEvent,
    };
    // A list, not an iterator: statements may not run while another one is being stepped on the same connection.
    const rows = readAll<OpRow>(db, ABOUT_AGENTS);
    const isCondensed = (row: OpRow): boolean =>
      row.run_id !== null && isBelowCompacted(db, { runIds: [row.run_id], place: operationOf(row) });
    const isAny = readOne(db, 'SELECT 1 FROM compacted_runs LIMIT 1') !== null;
    const onlyOnAgent = { ...all, project: projectOnAgent };
    for (const row of rows) projectRows(db, isAny && isCondensed(row) ? onlyOnAgent : all, [row]);
    db.exec('DELETE FROM stale_groups');
  }).immediate();
}

function clearTable(db: Database, table: (typeof PROJECTION_TABLES)[number]): void {
  const isOfRuns = RUN_TABLES.some((each) => each === table);
  const but = 'WHERE run_id IS NULL OR run_id NOT IN (SELECT run_id FROM compacted_runs)';
  db.exec(`DELETE FROM ${table} ${isOfRuns ? but : ''}`);
}
