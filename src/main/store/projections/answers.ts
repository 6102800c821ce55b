import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/** Answers of people on devices that may not act, in their order within a run. */
export function projectAnswer(db: Database, event: RecordedEvent, text: string): void {
  if (event.kind !== 'approval.answered' && event.kind !== 'recovery.answered') return;
  const subject =
    event.kind === 'approval.answered'
      ? { subjectId: event.payload.approvalId, agentId: event.payload.agentId, runId: event.payload.runId }
      : { subjectId: event.payload.attemptToken, ...event.payload.effect };
  change(
    db,
    `INSERT OR IGNORE INTO answers (op_id, agent_id, run_id, kind, subject_id, payload, device_id, at_ms, place)
     VALUES (?,?,?,?,?,?,?,?,(SELECT coalesce(max(place), 0) + 1 FROM answers WHERE run_id = ?))`,
    event.opId,
    subject.agentId,
    subject.runId,
    event.kind,
    subject.subjectId,
    text,
    event.deviceId,
    event.atMs,
    subject.runId,
  );
}
