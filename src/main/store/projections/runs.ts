import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { change } from '../connection.ts';
import { projectRunProgress } from './run-progress.ts';

/** Runs and the visits of their states. */
export function projectRun(db: Database, event: RecordedEvent): void {
  projectPlace(db, event);
  projectControl(db, event);
  projectRunProgress(db, event);
}

/** Where a run is: its start, its states and its end. */
function projectPlace(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'trigger.fired': {
      const { runId, agentId, revisionDigest, requestDigest, title, by, input, stateId } = event.payload;
      change(
        db,
        `INSERT INTO runs (run_id, agent_id, revision_digest, request_digest, title, started_by, input, phase, state_id,
           state_visit, started_at_ms, last_event) VALUES (?,?,?,?,?,?,?,'ready',?,0,?,'Started')`,
        runId,
        agentId,
        revisionDigest,
        requestDigest,
        title,
        by,
        canonicalJson(input),
        stateId,
        event.atMs,
      );
      return;
    }
    case 'run.entered': {
      const { runId, stateId, stateVisit } = event.payload;
      change(db, 'INSERT OR IGNORE INTO visits (run_id, state_id, visit) VALUES (?,?,?)', runId, stateId, stateVisit);
      change(
        db,
        `UPDATE runs SET phase = 'ready', state_id = ?, state_visit = ?, wait_until_ms = NULL, is_refused = 0 WHERE run_id = ?`,
        stateId,
        stateVisit,
        runId,
      );
      return;
    }
    case 'run.waiting':
      change(
        db,
        `UPDATE runs SET phase = 'waiting', wait_until_ms = ?, last_event = 'Waiting' WHERE run_id = ?`,
        event.payload.untilMs,
        event.payload.runId,
      );
      return;
    case 'run.ended':
      change(
        db,
        `UPDATE runs SET phase = 'ended', ending = ?, ended_at_ms = ?, last_event = ? WHERE run_id = ?`,
        event.payload.ending,
        event.atMs,
        event.payload.summary,
        event.payload.runId,
      );
      if (event.payload.ending === 'done') {
        change(
          db,
          `INSERT OR IGNORE INTO oracle (agent_id, run_id, effect_key, op_id) VALUES (?,?,'',?)`,
          event.payload.agentId,
          event.payload.runId,
          event.opId,
        );
      }
      return;
    default:
      return;
  }
}

/** What a person asked of it. */
function projectControl(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'run.stop-requested':
      change(
        db,
        `UPDATE runs SET stop_requested = 1, last_event = 'Stop asked for' WHERE run_id = ?`,
        event.payload.runId,
      );
      return;
    case 'run.pause-requested':
      change(
        db,
        `UPDATE runs SET barrier_active = 1, last_event = 'Pause asked for' WHERE run_id = ?`,
        event.payload.runId,
      );
      return;
    case 'run.resumed':
      change(db, `UPDATE runs SET barrier_active = 0, last_event = 'Resumed' WHERE run_id = ?`, event.payload.runId);
      return;
    default:
      return;
  }
}
