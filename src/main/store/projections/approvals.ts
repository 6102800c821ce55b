import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/** Questions for a person. */
export function projectApproval(db: Database, event: RecordedEvent, text: string): void {
  switch (event.kind) {
    case 'approval.requested': {
      const { approvalId, agentId, runId, stateId, stateVisit, ofStateId, inputDigest, expiresAtMs } = event.payload;
      change(
        db,
        `INSERT OR IGNORE INTO approvals (approval_id, agent_id, run_id, state_id, state_visit, of_state_id, input_digest, request, asked_at_ms, expires_at_ms, asked_seq)
         VALUES (?,?,?,?,?,?,?,?,?,?,
           (SELECT coalesce(max(asked_seq), 0) + 1 FROM approvals WHERE run_id = ?))`,
        approvalId,
        agentId,
        runId,
        stateId,
        stateVisit,
        ofStateId,
        inputDigest,
        text,
        event.atMs,
        expiresAtMs,
        runId,
      );
      return;
    }
    case 'approval.decided': {
      // The first one counts; but a later holder acts on what it decided itself, without knowing of the earlier one.
      const { approvalId, isAllowed, by, reason, epoch = null, standingId = null } = event.payload;
      change(
        db,
        `UPDATE approvals SET state = ?, decided_by = ?, decided_at_ms = ?, reason = ?, device_id = ?, epoch = ?, standing_id = ?,
           decided_under = ? WHERE approval_id = ? AND (state = 'open' OR decided_under < ?)`,
        isAllowed ? 'allowed' : 'not-allowed',
        by,
        event.atMs,
        reason,
        event.deviceId,
        epoch,
        standingId,
        event.epoch,
        approvalId,
        event.epoch,
      );
      return;
    }
    case 'approval.stale':
      change(
        db,
        `UPDATE approvals SET state = 'stale', stale_reason = ? WHERE approval_id = ?`,
        event.payload.reason,
        event.payload.approvalId,
      );
      return;
    case 'approval.expired':
      change(
        db,
        `UPDATE approvals SET state = 'expired', decided_at_ms = ? WHERE approval_id = ?`,
        event.atMs,
        event.payload.approvalId,
      );
      return;
    case 'run.ended':
      change(db, `UPDATE approvals SET state = 'withdrawn' WHERE run_id = ? AND state = 'open'`, event.payload.runId);
      return;
    default:
      return;
  }
}
