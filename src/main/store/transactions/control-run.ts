import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { effectKeyOf } from '../../../shared/core/run/effect-key.ts';
import type { Connection } from '../connection.ts';
import { findRun, latestAttempt, outcomeOf } from '../rows.ts';
import type { RunRecord } from '../rows.ts';
import { endRun } from './move-run.ts';
import { releaseStep } from './release-step.ts';

/** Stops a run for good. What is in flight is tracked to its outcome; nothing further leaves. */
export function stopRun(connection: Connection, runId: string, by: string): Result<RunRecord, Problem> {
  const run = findRun(connection.db, runId);
  if (run === null) return err(problem('not-found', 'There is no such run.'));
  if (run.ending !== null)
    return err(problem('run-ended', 'This run has ended already.', 'Nothing needs to be stopped.'));
  if (run.stop_requested === 0)
    connection.journal.append('run.stop-requested', { agentId: run.agent_id, runId: run.run_id, by });
  if (run.phase !== 'acting' && run.phase !== 'needs-recovery') endRun(connection, run, 'stopped', 'You stopped it');
  return ok(run);
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
  const ids = { agentId: run.agent_id, runId: run.run_id, by: barrier.by };
  connection.journal.append(barrier.isUp ? 'run.pause-requested' : 'run.resumed', ids);
  if (!barrier.isUp) releaseHeldBack(connection, run, barrier);
  return ok(run);
}

/** A step that was settled while the barrier was up still owes its successors. */
function releaseHeldBack(connection: Connection, run: RunRecord, barrier: { strategy: Strategy; nowMs: number }): void {
  const effectKey = effectKeyOf(run.state_id, run.state_visit);
  const attempt = latestAttempt(connection.db, run.run_id, effectKey);
  const outcome = attempt === null ? null : outcomeOf(attempt);
  if (attempt === null || outcome === null || outcome.kind === 'unclear') return;
  // Held back before it was sent: the step itself is still to be done.
  if (outcome.kind === 'failure' && attempt.output_digest === null) return;
  const identity = {
    effect: { agentId: run.agent_id, runId: run.run_id, effectKey },
    attemptToken: attempt.attempt_token,
  };
  const from = { stateId: run.state_id, stateVisit: run.state_visit };
  releaseStep(connection, { ...barrier, attempt: identity, from, result: outcome.kind, failText: 'It failed' });
}

/** Ends a run whose stop was asked for while something was in flight, once nothing is. */
export function finishStop(connection: Connection, runId: string): void {
  const run = findRun(connection.db, runId);
  if (run === null || run.ending !== null || run.stop_requested === 0) return;
  if (run.phase === 'acting' || run.phase === 'needs-recovery') return;
  endRun(connection, run, 'stopped', 'You stopped it');
}
