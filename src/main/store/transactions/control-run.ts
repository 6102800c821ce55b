import type { Database } from 'better-sqlite3';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { isUndoKey } from '../../../shared/core/run/effect-key.ts';
import { hasLeft, heldBackResult } from '../../../shared/core/successor/held-back.ts';
import { hasOpenBranches, withBranches } from '../branches.ts';
import { holdOf } from '../holds.ts';
import { readAll, readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { findRun, outcomeOf } from '../rows.ts';
import type { AttemptRecord, RunRecord } from '../rows.ts';
import { knownOf } from '../step-attempts.ts';
import { endRun } from './end-run.ts';
import { releaseStep } from './release-step.ts';
import { retryLater } from './retry-step.ts';

/** Stops a run for good. What is in flight is tracked to its outcome; nothing further leaves. */
export function stopRun(connection: Connection, runId: string, by: string): Result<RunRecord, Problem> {
  const run = findRun(connection.db, runId);
  if (run === null) return err(problem('not-found', 'There is no such run.'));
  if (run.ending !== null)
    return err(problem('run-ended', 'This run has ended already.', 'Nothing needs to be stopped.'));
  for (const each of withBranches(connection.db, run)) stopOne(connection, each, by);
  return ok(run);
}

function stopOne(connection: Connection, run: RunRecord, by: string): void {
  if (run.ending !== null) return;
  if (run.stop_requested === 0)
    connection.journal.append('run.stop-requested', { agentId: run.agent_id, runId: run.run_id, by });
  finishStop(connection, run.run_id);
}

/** Puts up or takes down the barrier of a run. Nothing is lost while it is up. */
export function setBarrier(
  connection: Connection,
  runId: string,
  barrier: { isUp: boolean; by: string; strategy: Strategy; nowMs: number },
): Result<RunRecord, Problem> {
  const run = findRun(connection.db, runId);
  if (run === null) return err(problem('not-found', 'There is no such run.'));
  if (run.ending !== null) return err(problem('run-ended', 'This run has ended already.'));
  if ((run.barrier_active === 1) === barrier.isUp) return ok(run);
  for (const each of withBranches(connection.db, run)) setOne(connection, each, barrier);
  return ok(run);
}

function setOne(
  connection: Connection,
  run: RunRecord,
  barrier: { isUp: boolean; by: string; strategy: Strategy; nowMs: number },
): void {
  if (run.ending !== null || (run.barrier_active === 1) === barrier.isUp) return;
  const ids = { agentId: run.agent_id, runId: run.run_id, by: barrier.by };
  connection.journal.append(barrier.isUp ? 'run.pause-requested' : 'run.resumed', ids);
  // A pause of its agent, or of everything, holds it back still.
  const isFree = holdOf(connection.db, { ...run, barrier_active: barrier.isUp ? 1 : 0 }) === null;
  if (isFree) releaseHeldBack(connection, run, barrier);
}

/**
 * A step that was settled, or stopped as unclear, while the barrier was up still owes its successors; so does one whose
 * settlement is the last that a journal tells, and that may owe another attempt instead. Answers whether it did.
 */
export function releaseHeldBack(
  connection: Connection,
  run: RunRecord,
  barrier: { strategy: Strategy; nowMs: number },
): boolean {
  // A step that is tried again later, or goes on in branches, is not over.
  if (run.phase === 'waiting' || run.phase === 'branching') return false;
  const attempts = attemptsAt(connection.db, run);
  const [attempt] = attempts;
  const known = attempts.map(knownOf);
  // A step that was begun, asked or decided about owes what its last answer gives, whatever was tried since and never left.
  const result = heldBackResult(run.phase === 'ready' ? known : known.filter(hasLeft));
  if (attempt === undefined || result === null) return false;
  // One that failed, was asked about again and allowed is to be done once more; an undo that failed ends its step.
  if (run.phase === 'ready' && result.kind === 'failure' && !isUndoKey(attempt.effect_key)) return false;
  const failed = attempts.find((each) => hasLeft(knownOf(each)));
  const outcome = failed === undefined ? null : outcomeOf(failed);
  if (failed !== undefined && outcome?.kind === 'failure' && result.kind === 'failure') {
    if (retryLater(connection, failed, { ...barrier, outcome })) return true;
  }
  const identity = {
    effect: { agentId: run.agent_id, runId: run.run_id, effectKey: attempt.effect_key },
    attemptToken: attempt.attempt_token,
  };
  const from = { stateId: run.state_id, stateVisit: run.state_visit };
  releaseStep(connection, { ...barrier, attempt: identity, from, result, failText: 'It failed' });
  return true;
}

/** All attempts at a run's step, be it at the effect, at its undo or at a part of it; the newest first. */
function attemptsAt(db: Database, run: RunRecord): readonly AttemptRecord[] {
  return readAll<AttemptRecord>(
    db,
    'SELECT * FROM attempts WHERE run_id = ? AND state_id = ? AND state_visit = ? ORDER BY rowid DESC',
    run.run_id,
    run.state_id,
    run.state_visit,
  );
}

/** Whether something that was sent for a run has neither an answer nor a decision. */
export function hasOpenAttempt(db: Database, runId: string): boolean {
  const open = `SELECT 1 FROM attempts WHERE run_id = ? AND progress = 'in-flight' AND decision IS NULL LIMIT 1`;
  return readOne(db, open, runId) !== null;
}

/** Ends a run whose stop was asked for while something was in flight, once nothing is. Answers whether it ended. */
export function finishStop(connection: Connection, runId: string): boolean {
  const run = findRun(connection.db, runId);
  if (run === null || run.ending !== null || run.stop_requested === 0) return false;
  if (hasOpenAttempt(connection.db, runId) || hasOpenBranches(connection.db, runId)) return false;
  endRun(connection, run, 'stopped', 'You stopped it');
  return true;
}
