import type { Database } from 'better-sqlite3';
import { readAll } from '../connection.ts';
import { eventOf, FOLD_ORDER } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { PROJECTION_TABLES } from '../migrations/0010-initial.ts';
import { projectEvent } from './project-event.ts';

/** Empties every projection and makes it again from all journals, in one transaction. */
export function rebuildProjections(db: Database): void {
  db.transaction(() => {
    for (const table of PROJECTION_TABLES) db.exec(`DELETE FROM ${table}`);
    // A list, not an iterator: statements may not run while another one is being stepped on the same connection.
    for (const row of readAll<OpRow>(db, `SELECT * FROM ops ORDER BY ${FOLD_ORDER}`))
      projectEvent(db, eventOf(row), row.payload);
  }).immediate();
}
