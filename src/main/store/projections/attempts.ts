import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Json } from '../../../shared/lib/canonical-json.ts';
import { change } from '../connection.ts';

/** Attempts with their claims, and the oracle of everything ever committed. */
export function projectAttempt(db: Database, event: RecordedEvent, text: string): void {
  projectDispatch(db, event, text);
  projectSettlement(db, event);
  projectDecision(db, event, text);
}

function projectDispatch(db: Database, event: RecordedEvent, text: string): void {
  switch (event.kind) {
    case 'intent.recorded': {
      const { effect, attemptToken, attemptNumber, stateId, stateVisit, inputDigest } = event.payload;
      change(
        db,
        `INSERT OR IGNORE INTO attempts (attempt_token, agent_id, run_id, effect_key, attempt_number, state_id, state_visit, intent, input_digest)
         VALUES (?,?,?,?,?,?,?,?,?)`,
        attemptToken,
        effect.agentId,
        effect.runId,
        effect.effectKey,
        attemptNumber,
        stateId,
        stateVisit,
        text,
        inputDigest,
      );
      return;
    }
    case 'claim.decided': {
      const { attemptToken, owner, leaseUntil, verdict } = event.payload;
      if (verdict !== 'granted') {
        closeUnsent(db, attemptToken, verdict);
        return;
      }
      change(
        db,
        'UPDATE attempts SET owner = ?, epoch = ?, until_boot_id = ?, until_boot_ms = ? WHERE attempt_token = ?',
        jsonText(owner),
        owner.epoch,
        leaseUntil.bootId,
        leaseUntil.bootMs,
        attemptToken,
      );
      return;
    }
    case 'claim.extended':
      change(
        db,
        'UPDATE attempts SET until_boot_ms = ? WHERE attempt_token = ?',
        event.payload.leaseUntil.bootMs,
        event.payload.attemptToken,
      );
      return;
    case 'effect.started':
      change(
        db,
        `UPDATE attempts SET progress = 'in-flight', started_at_ms = ? WHERE attempt_token = ?`,
        event.atMs,
        event.payload.attemptToken,
      );
      return;
    case 'effect.withheld':
      closeUnsent(db, event.payload.attemptToken, event.payload.reason, 'in-flight');
      return;
    case 'gate.decided':
      if (event.payload.decision.kind === 'refuse')
        closeUnsent(db, event.payload.attemptToken, event.payload.decision.reason);
      return;
    case 'fence.decided':
      if (event.payload.decision.kind !== 'proceed')
        closeUnsent(db, event.payload.attemptToken, event.payload.decision.kind);
      return;
    default:
      return;
  }
}

/**
 * An attempt that provably left nothing is over; the effect itself may be tried by another attempt. Only a last look that
 * said no may close one that is marked as in flight: it was taken in the process that was to send.
 */
function closeUnsent(
  db: Database,
  attemptToken: string,
  code: string,
  from: 'never-started' | 'in-flight' = 'never-started',
): void {
  const outcome = JSON.stringify({ kind: 'failure', class: 'transient', code, wasSent: false });
  change(
    db,
    `UPDATE attempts SET progress = 'settled', outcome = ?, settled_by = 'executor' WHERE attempt_token = ? AND progress = ?`,
    outcome,
    attemptToken,
    from,
  );
}

function projectSettlement(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'settle.recorded': {
      const { effect, attemptToken, outcome, outputDigest, settledBy } = event.payload;
      change(
        db,
        `UPDATE attempts SET progress = 'settled', outcome = ?, output_digest = ?, settled_by = ? WHERE attempt_token = ?`,
        jsonText(outcome),
        outputDigest,
        settledBy,
        attemptToken,
      );
      if (outcome.kind === 'success') {
        change(
          db,
          'INSERT OR IGNORE INTO oracle (agent_id, run_id, effect_key, op_id) VALUES (?,?,?,?)',
          effect.agentId,
          effect.runId,
          effect.effectKey,
          event.opId,
        );
      }
      return;
    }
    case 'settle.late-evidence':
      change(
        db,
        'UPDATE attempts SET evidence = ? WHERE attempt_token = ?',
        jsonText({ outcome: event.payload.outcome, summary: event.payload.summary, atMs: event.atMs }),
        event.payload.attemptToken,
      );
      return;
    case 'recovery.reclaimed':
      closeUnsent(db, event.payload.attemptToken, 'lease_expired_before_start');
      return;
    case 'recovery.in-doubt':
      // An answer that was given before is not an answer to this doubt: whoever is asked again may answer again.
      change(
        db,
        `UPDATE attempts SET evidence = iif(progress = 'settled' AND settled_by = 'executor' AND output_digest IS NOT NULL,
           json_object('outcome', json(outcome), 'summary', 'The record of the device that sent it came later, and says that it ' ||
             iif(json_extract(outcome, '$.kind') = 'success', 'happened', 'failed'), 'atMs', ?), evidence),
           progress = 'in-flight', in_doubt_at_ms = ?, owner = coalesce(owner, ?), decision = NULL, decided_at_ms = NULL WHERE attempt_token = ?`,
        event.atMs,
        event.atMs,
        event.payload.previousOwner === null ? null : jsonText(event.payload.previousOwner),
        event.payload.attemptToken,
      );
      return;
    default:
      return;
  }
}

/** What was found out and decided about an attempt that is in doubt. */
function projectDecision(db: Database, event: RecordedEvent, text: string): void {
  switch (event.kind) {
    case 'recovery.probed':
      change(
        db,
        'UPDATE attempts SET probe = ?, probed_at_ms = ? WHERE attempt_token = ?',
        text,
        event.atMs,
        event.payload.attemptToken,
      );
      return;
    case 'recovery.repeated':
      change(
        db,
        `UPDATE attempts SET decision = ?, decided_at_ms = ? WHERE attempt_token = ?`,
        JSON.stringify({ choice: 'repeat', reason: event.payload.reason, by: 'Fencepost' }),
        event.atMs,
        event.payload.attemptToken,
      );
      return;
    case 'recovery.decided':
      change(
        db,
        'UPDATE attempts SET decision = ?, decided_at_ms = ? WHERE attempt_token = ?',
        text,
        event.atMs,
        event.payload.attemptToken,
      );
      return;
    case 'recovery.reopened':
      // Only a step that was settled is committed in the tail; one that was stopped is still open there, and says so.
      change(
        db,
        `UPDATE attempts SET is_reopened = max(is_reopened, progress = 'settled'), decision = NULL, decided_at_ms = NULL, progress = 'in-flight', outcome = NULL, output_digest = NULL, settled_by = NULL WHERE attempt_token = ?`,
        event.payload.attemptToken,
      );
      change(
        db,
        'DELETE FROM oracle WHERE agent_id = ? AND run_id = ? AND effect_key = ?',
        event.payload.effect.agentId,
        event.payload.effect.runId,
        event.payload.effect.effectKey,
      );
      return;
    default:
      return;
  }
}

/** Canonical, so that the row is the same when it is made again from the journal. */
function jsonText(value: unknown): string {
  return canonicalJson(value as Json);
}
