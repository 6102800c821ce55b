import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { isUndoKey } from '../../../shared/core/run/effect-key.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { change } from '../connection.ts';

/** Runs and the visits of their states. */
export function projectRun(db: Database, event: RecordedEvent): void {
  projectControl(db, event);
  projectProgress(db, event);
}

function projectControl(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'trigger.fired': {
      const { runId, agentId, revisionDigest, requestDigest, title, by, input, stateId } = event.payload;
      change(
        db,
        `INSERT INTO runs (run_id, agent_id, revision_digest, request_digest, title, started_by, input, phase, state_id,
           state_visit, started_at_ms, last_event) VALUES (?,?,?,?,?,?,?,'ready',?,0,?,'Started')`,
        runId, agentId, revisionDigest, requestDigest, title, by, canonicalJson(input), stateId, event.atMs,
      );
      return;
    }
    case 'run.entered': {
      const { runId, stateId, stateVisit } = event.payload;
      change(db, 'INSERT OR IGNORE INTO visits (run_id, state_id, visit) VALUES (?,?,?)', runId, stateId, stateVisit);
      change(
        db,
        `UPDATE runs SET phase = 'ready', state_id = ?, state_visit = ?, wait_until_ms = NULL, is_refused = 0 WHERE run_id = ?`,
        stateId, stateVisit, runId,
      );
      return;
    }
    case 'run.waiting':
      change(db, `UPDATE runs SET phase = 'waiting', wait_until_ms = ?, last_event = 'Waiting' WHERE run_id = ?`, event.payload.untilMs, event.payload.runId);
      return;
    case 'run.stop-requested':
      change(db, `UPDATE runs SET stop_requested = 1, last_event = 'Stop asked for' WHERE run_id = ?`, event.payload.runId);
      return;
    case 'run.pause-requested':
      change(db, `UPDATE runs SET barrier_active = 1, last_event = 'Pause asked for' WHERE run_id = ?`, event.payload.runId);
      return;
    case 'run.resumed':
      change(db, `UPDATE runs SET barrier_active = 0, last_event = 'Resumed' WHERE run_id = ?`, event.payload.runId);
      return;
    case 'run.ended':
      change(
        db,
        `UPDATE runs SET phase = 'ended', ending = ?, ended_at_ms = ?, last_event = ? WHERE run_id = ?`,
        event.payload.ending, event.atMs, event.payload.summary, event.payload.runId,
      );
      if (event.payload.ending === 'done') {
        change(db, `INSERT OR IGNORE INTO oracle (agent_id, run_id, effect_key, op_id) VALUES (?,?,'',?)`, event.payload.agentId, event.payload.runId, event.opId);
      }
      return;
    default:
      return;
  }
}

const PHASES: Partial<Record<RecordedEvent['kind'], { phase: string; text: string }>> = {
  'effect.started': { phase: 'acting', text: 'Left this device' },
  'effect.withheld': { phase: 'ready', text: 'Held back: nothing was sent' },
  'recovery.reclaimed': { phase: 'ready', text: 'Taken up again: nothing had been sent' },
  'recovery.in-doubt': { phase: 'needs-recovery', text: 'No answer was recorded' },
  'recovery.repeated': { phase: 'ready', text: 'Repeated safely' },
  'recovery.reopened': { phase: 'needs-recovery', text: 'Reopened' },
};

function projectProgress(db: Database, event: RecordedEvent): void {
  const simple = PHASES[event.kind];
  if (simple !== undefined && 'effect' in event.payload) {
    const hasSent = event.kind === 'effect.started' ? 1 : 0;
    change(
      db,
      `UPDATE runs SET phase = CASE WHEN ending IS NULL OR ? = 'needs-recovery' THEN ? ELSE phase END,
         ending = CASE WHEN ? = 'recovery.reopened' THEN NULL ELSE ending END,
         ended_at_ms = CASE WHEN ? = 'recovery.reopened' THEN NULL ELSE ended_at_ms END,
         has_sent = max(has_sent, ?), last_event = ? WHERE run_id = ?`,
      simple.phase, simple.phase, event.kind, event.kind, hasSent, simple.text, event.payload.effect.runId,
    );
    return;
  }
  switch (event.kind) {
    case 'recovery.decided': {
      const phase = event.payload.choice === 'send-again' || event.payload.choice === 'undo-then-send' ? 'ready' : 'acting';
      change(db, `UPDATE runs SET phase = ?, last_event = 'You decided' WHERE run_id = ?`, phase, event.payload.effect.runId);
      return;
    }
    case 'settle.recorded': {
      const { effect, outcome, output, summary } = event.payload;
      const isUndo = isUndoKey(effect.effectKey);
      const done = outcome.kind === 'success' && !isUndo ? 1 : 0;
      change(
        db,
        `UPDATE runs SET steps_done = steps_done + ?, last_event = ?, phase = CASE WHEN ? AND ending IS NULL THEN 'ready' ELSE phase END WHERE run_id = ?`,
        done, summary, isUndo ? 1 : 0, effect.runId,
      );
      const [stateId, visit] = effect.effectKey.split('#');
      change(db, 'UPDATE visits SET output = ? WHERE run_id = ? AND state_id = ? AND visit = ?', output.inline, effect.runId, stateId, Number(visit));
      return;
    }
    case 'successor.released':
      change(db, 'UPDATE visits SET is_released = 1 WHERE run_id = ? AND state_id = ? AND visit = ?', event.payload.runId, event.payload.fromStateId, event.payload.fromStateVisit);
      return;
    case 'approval.requested':
      change(db, `UPDATE runs SET phase = 'needs-approval', last_event = 'Asked you' WHERE run_id = ?`, event.payload.runId);
      return;
    case 'approval.decided':
      change(db, `UPDATE runs SET phase = 'ready', last_event = ? WHERE run_id = ?`, event.payload.isAllowed ? 'You allowed it' : 'You did not allow it', event.payload.runId);
      return;
    case 'approval.expired':
      change(db, `UPDATE runs SET phase = 'ready', last_event = 'Nobody answered in time' WHERE run_id = ?`, event.payload.runId);
      return;
    default:
      return;
  }
}
