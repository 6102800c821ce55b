import type { Database } from 'better-sqlite3';
import { readAll } from '../connection.ts';
import { FOLD_ORDER } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { PROJECTION_TABLES } from '../migrations/0010-initial.ts';
import { projectEvent } from './project-event.ts';
import { agentGroup, projectRows, reproject } from './reproject.ts';

const ABOUT_AGENTS = `SELECT * FROM ops WHERE agent_id IS NOT NULL OR run_id IS NOT NULL ORDER BY ${FOLD_ORDER}`;

/** Empties every projection and makes it again from all journals, in one transaction. */
export function rebuildProjections(db: Database): void {
  db.transaction(() => {
    for (const table of PROJECTION_TABLES) db.exec(`DELETE FROM ${table}`);
    // First who was let go, and up to where it counts.
    reproject(db, agentGroup(null));
    const all = { sql: ABOUT_AGENTS, parameter: '', clear: () => undefined, project: projectEvent };
    // A list, not an iterator: statements may not run while another one is being stepped on the same connection.
    projectRows(db, all, readAll<OpRow>(db, ABOUT_AGENTS));
    db.exec('DELETE FROM stale_groups');
  }).immediate();
}
