import type { Database } from 'better-sqlite3';
import { readEvents } from '../journal.ts';
import { PROJECTION_TABLES } from '../migrations/0010-initial.ts';
import { projectEvent } from './project-event.ts';

/** Empties every projection and makes it again from the journal, in one transaction. */
export function rebuildProjections(db: Database): void {
  db.transaction(() => {
    for (const table of PROJECTION_TABLES) db.exec(`DELETE FROM ${table}`);
    // A list, not the iterator: statements may not run while another one is being stepped on the same connection.
    for (const event of Array.from(readEvents(db))) projectEvent(db, event);
  }).immediate();
}
