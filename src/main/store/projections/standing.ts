import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/** Standing permissions. One that ended with its agent's permission stays as it is: the core compares the two. */
export function projectStanding(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'approval.standing-given': {
      const { standingId, approvalId, agentId, grantDigest, ofStateId, tool, target, inputDigest } = event.payload;
      change(
        db,
        `INSERT OR IGNORE INTO standing_permissions (standing_id, approval_id, agent_id, grant_digest, of_state_id, tool, target, input_digest,
           device_id, given_at_ms, given_by, expires_at_ms) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`,
        standingId,
        approvalId,
        agentId,
        grantDigest,
        ofStateId,
        tool,
        target,
        inputDigest,
        event.deviceId,
        event.atMs,
        event.payload.by,
        event.payload.expiresAtMs,
      );
      return;
    }
    case 'approval.standing-revoked':
      change(
        db,
        'UPDATE standing_permissions SET revoked_at_ms = ? WHERE standing_id = ? AND revoked_at_ms IS NULL',
        event.atMs,
        event.payload.standingId,
      );
      return;
    default:
      return;
  }
}
