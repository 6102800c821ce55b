import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/**
 * Agents, their revisions, and the highest lease ever seen for each in the register that it belongs to. What another register
 * granted before devices knew of each other does not count; only a move changes where an agent belongs.
 */
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
    case 'lease.acquired':
    case 'lease.observed': {
      const { agentId, coordinatorId, incarnation, epoch } = event.payload;
      change(
        db,
        `INSERT INTO high_water (agent_id, coordinator_id, incarnation, epoch) VALUES (?,?,?,?)
         ON CONFLICT (agent_id) DO UPDATE SET epoch = max(epoch, excluded.epoch) WHERE coordinator_id = excluded.coordinator_id`,
        agentId,
        coordinatorId,
        incarnation,
        epoch,
      );
      return;
    }
    case 'lease.moved':
    case 'lease.bumped': {
      const { agentId, coordinatorId, incarnation, epoch } = event.payload;
      change(
        db,
        `INSERT INTO high_water (agent_id, coordinator_id, incarnation, epoch) VALUES (?,?,?,?)
         ON CONFLICT (agent_id) DO UPDATE SET coordinator_id = excluded.coordinator_id, incarnation = excluded.incarnation,
           epoch = max(epoch, excluded.epoch), went_back_at_ms = NULL`,
        agentId,
        coordinatorId,
        incarnation,
        epoch,
      );
      return;
    }
    case 'lease.went-back':
      change(db, 'UPDATE high_water SET went_back_at_ms = ? WHERE agent_id = ?', event.atMs, event.payload.agentId);
      return;
    default:
      return;
  }
}
