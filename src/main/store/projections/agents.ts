import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/** Agents, their revisions and permissions, and the highest lease ever seen for each. */
export function projectAgent(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'agent.saved': {
      const { agentId, name, description, revisionDigest, source } = event.payload;
      change(
        db,
        `INSERT INTO agents (agent_id, name, description, revision_digest, saved_at_ms) VALUES (?,?,?,?,?)
         ON CONFLICT (agent_id) DO UPDATE SET name = excluded.name, description = excluded.description,
           revision_digest = excluded.revision_digest, saved_at_ms = excluded.saved_at_ms`,
        agentId,
        name,
        description,
        revisionDigest,
        event.atMs,
      );
      change(
        db,
        'INSERT OR IGNORE INTO revisions (revision_digest, agent_id, source) VALUES (?,?,?)',
        revisionDigest,
        agentId,
        source,
      );
      return;
    }
    case 'grant.given': {
      const { agentId, grantDigest, revisionDigest, grantNumber, by } = event.payload;
      change(
        db,
        'UPDATE grants SET revoked_at_ms = ? WHERE agent_id = ? AND revoked_at_ms IS NULL',
        event.atMs,
        agentId,
      );
      change(
        db,
        'INSERT INTO grants (grant_digest, agent_id, revision_digest, grant_number, given_at_ms, given_by) VALUES (?,?,?,?,?,?)',
        grantDigest,
        agentId,
        revisionDigest,
        grantNumber,
        event.atMs,
        by,
      );
      return;
    }
    case 'grant.revoked':
      change(db, 'UPDATE grants SET revoked_at_ms = ? WHERE grant_digest = ?', event.atMs, event.payload.grantDigest);
      return;
    case 'lease.acquired': {
      const { agentId, coordinatorId, incarnation, epoch } = event.payload;
      change(
        db,
        `INSERT INTO high_water (agent_id, coordinator_id, incarnation, epoch) VALUES (?,?,?,?)
         ON CONFLICT (agent_id) DO UPDATE SET epoch = max(epoch, excluded.epoch)`,
        agentId,
        coordinatorId,
        incarnation,
        epoch,
      );
      return;
    }
    default:
      return;
  }
}
