import type { AttemptIdentity, StateId } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { edgesOf } from '../../../shared/core/run/next-state.ts';
import type { StepResult } from '../../../shared/core/run/next-state.ts';
import { releaseSuccessors } from '../../../shared/core/successor/release-successors.ts';
import { readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { holdOf } from '../holds.ts';
import { findRun } from '../rows.ts';
import { templateScope } from '../run-scope.ts';
import { endRun, failRun } from './end-run.ts';
import { enterState } from './enter-state.ts';

/** A step that is over, and which way it went. */
export interface StepRelease {
  readonly attempt: AttemptIdentity;
  readonly from: { readonly stateId: StateId; readonly stateVisit: number };
  readonly result: StepResult;
  readonly strategy: Strategy;
  readonly nowMs: number;
  /** What the run's ending says if no edge leads on from a failure. */
  readonly failText: string;
}

/** Releases the edges of a step once, or says durably why not; ends the run where no edge leads on. */
export function releaseStep(connection: Connection, release: StepRelease): void {
  const { db, journal } = connection;
  const { from, strategy, result } = release;
  const { agentId, runId } = release.attempt.effect;
  const run = findRun(db, runId);
  if (run === null || run.ending !== null) return;
  const visit = readOne<{ is_released: number }>(
    db,
    'SELECT is_released FROM visits WHERE run_id = ? AND state_id = ? AND visit = ?',
    runId,
    from.stateId,
    from.stateVisit,
  );
  // Where it is, its edges are owed: a journal may end between what tells of their release and what tells where they led.
  const isThere = run.state_id === from.stateId && run.state_visit === from.stateVisit;
  const edges = edgesOf(strategy, from, { result, scope: templateScope(db, run) });
  const admission = releaseSuccessors(
    {
      barrierActive: holdOf(db, run) !== null,
      stopRequested: run.stop_requested === 1,
      stateHasVisits: true,
      currentStateVisit: run.state_id === from.stateId ? run.state_visit : null,
      admittedAttempts: [release.attempt],
      isReleased: visit?.is_released === 1 && !isThere,
    },
    {
      attempt: release.attempt,
      edges: edges.ok ? edges.value : [],
      fromStateId: from.stateId,
      fromStateVisit: from.stateVisit,
    },
  );
  const place = { agentId, runId, fromStateId: from.stateId, fromStateVisit: from.stateVisit };
  if (admission.kind === 'refused') {
    if (admission.reason === 'stop-requested') return endRun(connection, run, 'stopped', 'You stopped it');
    journal.append('successor.refused', { ...place, reason: admission.reason });
    return;
  }
  if (!edges.ok) return failRun(connection, run, edges.error);
  const [edge] = admission.successors;
  if (edge !== undefined) {
    journal.append('successor.released', { ...place, toStateId: edge.toStateId });
    return enterState(connection, run, strategy, edge.toStateId, release.nowMs);
  }
  if (result.kind === 'unclear') return endRun(connection, run, 'stopped', 'You stopped it at an unclear step');
  failRun(connection, run, release.failText);
}
