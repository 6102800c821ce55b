import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/** The agent id of the row that holds everything. */
export const EVERYTHING = '';

/** Pauses of an agent and of everything; that of a single run is on its own row. */
export function projectHold(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'agent.pause-requested':
      change(
        db,
        'INSERT OR IGNORE INTO holds (agent_id, held_at_ms, held_by) VALUES (?,?,?)',
        event.payload.agentId ?? EVERYTHING,
        event.atMs,
        event.payload.by,
      );
      return;
    case 'agent.resumed':
      change(db, 'DELETE FROM holds WHERE agent_id = ?', event.payload.agentId ?? EVERYTHING);
      return;
    default:
      return;
  }
}
