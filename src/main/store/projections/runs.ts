import type { Database } from 'better-sqlite3';
import type { EventPayloads, RecordedEvent } from '../../../shared/contract/events.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { change } from '../connection.ts';
import { runNumberOf } from '../run-numbers.ts';
import { projectRunProgress } from './run-progress.ts';
import { isUnclearAt } from './unclear.ts';
import { enterVisit, forgetBeforeBegin } from './visits.ts';

/** Runs and the visits of their states. */
export function projectRun(db: Database, event: RecordedEvent): void {
  projectPlace(db, event);
  projectRest(db, event);
  if (event.kind === 'run.branched') projectBranch(db, event.payload, event);
  projectDevice(db, event);
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
        `INSERT OR IGNORE INTO runs (run_number, run_id, agent_id, revision_digest, request_digest, title, started_by, input, phase,
           state_id, state_visit, started_at_ms, last_event, device_id) VALUES (?,?,?,?,?,?,?,?,'ready',?,0,?,'Started',?)`,
        runNumberOf(db, runId),
        runId,
        agentId,
        revisionDigest,
        requestDigest,
        title,
        by,
        canonicalJson(input),
        stateId,
        event.atMs,
        event.deviceId,
      );
      return;
    }
    case 'run.entered': {
      const { runId, stateId, stateVisit } = event.payload;
      forgetBeforeBegin(db, runId);
      enterVisit(db, event.payload);
      change(
        db,
        `UPDATE runs SET phase = iif(${isUnclearAt()}, 'needs-recovery', 'ready'), state_id = ?, state_visit = ?,
           wait_until_ms = NULL, is_refused = 0, ending = NULL, ended_at_ms = NULL WHERE run_id = ?`,
        stateId,
        stateVisit,
        stateId,
        stateVisit,
        runId,
      );
      return;
    }
    case 'run.ended':
      // What a branch has sent, its run has sent.
      change(
        db,
        `UPDATE runs SET has_sent = 1 WHERE run_id = (SELECT parent_run_id FROM runs WHERE run_id = ? AND has_sent = 1)`,
        event.payload.runId,
      );
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

/** Why a run does not go on at once, although it has not ended. */
function projectRest(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'run.waiting': {
      const { untilMs } = event.payload;
      return restAt(db, event.payload, { phase: 'waiting', untilMs, text: 'Waiting' });
    }
    case 'run.branching': {
      const text = `Goes on in ${event.payload.count} branches`;
      return restAt(db, event.payload, { phase: 'branching', untilMs: null, text });
    }
    case 'run.retrying': {
      const { untilMs } = event.payload;
      return restAt(db, event.payload, { phase: 'waiting', untilMs, text: 'Failed; tries again' });
    }
    default:
      return;
  }
}

/**
 * A run rests at a visit. A holder that was told of a part of the journal before it may write that of a step that the rest of
 * that journal leads on from: that is not where the run is now.
 */
function restAt(
  db: Database,
  at: { readonly runId: string; readonly stateId: string; readonly stateVisit: number },
  rest: { readonly phase: 'waiting' | 'branching'; readonly untilMs: number | null; readonly text: string },
): void {
  change(
    db,
    `UPDATE runs SET phase = iif(${isUnclearAt()}, 'needs-recovery', ?), wait_until_ms = coalesce(?, wait_until_ms),
       last_event = ? WHERE run_id = ? AND state_id = ? AND state_visit = ? AND ending IS NULL`,
    at.stateId,
    at.stateVisit,
    rest.phase,
    rest.untilMs,
    rest.text,
    at.runId,
    at.stateId,
    at.stateVisit,
  );
}

/** Only where it changes: what an index names is written anew otherwise, with every effect. */
function projectDevice(db: Database, event: RecordedEvent): void {
  if (event.kind !== 'effect.started' && event.kind !== 'run.ended') return;
  const runId = event.kind === 'run.ended' ? event.payload.runId : event.payload.effect.runId;
  const sql = 'UPDATE runs SET device_id = ? WHERE run_id = ? AND device_id <> ?';
  change(db, sql, event.deviceId, runId, event.deviceId);
}

function projectBranch(
  db: Database,
  payload: EventPayloads['run.branched'],
  { atMs, deviceId }: Pick<RecordedEvent, 'atMs' | 'deviceId'>,
): void {
  const { runId, agentId, revisionDigest, requestDigest, title, by, input, stateId, item } = payload;
  change(
    db,
    `INSERT OR IGNORE INTO runs (run_number, run_id, agent_id, revision_digest, request_digest, title, started_by, input, phase,
       state_id, state_visit, started_at_ms, last_event, parent_run_id, parent_state_id, parent_state_visit, branch, branch_item,
       device_id) VALUES (?,?,?,?,?,?,?,?,'ready',?,0,?,'Started',?,?,?,?,?,?)`,
    runNumberOf(db, runId),
    runId,
    agentId,
    revisionDigest,
    requestDigest,
    title,
    by,
    canonicalJson(input),
    stateId,
    atMs,
    payload.parentRunId,
    payload.parentStateId,
    payload.parentStateVisit,
    payload.branch,
    item === null ? null : canonicalJson(item.value),
    deviceId,
  );
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
