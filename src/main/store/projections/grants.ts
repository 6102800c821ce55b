import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/** Permissions: at most one of an agent is not taken back. */
export function projectGrant(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'grant.given': {
      const { agentId, grantDigest, revisionDigest, grantNumber, by } = event.payload;
      const { devices = '*', expiresAtMs = null } = event.payload;
      change(
        db,
        'UPDATE grants SET revoked_at_ms = ? WHERE agent_id = ? AND revoked_at_ms IS NULL',
        event.atMs,
        agentId,
      );
      change(
        db,
        `INSERT INTO grants (grant_digest, agent_id, revision_digest, grant_number, given_at_ms, given_by, devices, expires_at_ms)
         VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (grant_digest) DO UPDATE SET revoked_at_ms = NULL`,
        grantDigest,
        agentId,
        revisionDigest,
        grantNumber,
        event.atMs,
        by,
        devices === '*' ? devices : JSON.stringify(devices),
        expiresAtMs,
      );
      return;
    }
    case 'grant.expired':
      change(
        db,
        'UPDATE grants SET expired_at_ms = ? WHERE grant_digest = ? AND expired_at_ms IS NULL',
        event.atMs,
        event.payload.grantDigest,
      );
      return;
    case 'grant.revoked':
      change(db, 'UPDATE grants SET revoked_at_ms = ? WHERE grant_digest = ?', event.atMs, event.payload.grantDigest);
      return;
    default:
      return;
  }
}
