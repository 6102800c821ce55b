import type { StateId } from '../../../shared/contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../../shared/contract/strategy.ts';
import { chooseBranch } from '../../../shared/core/run/next-state.ts';
import type { RunEnding } from '../../../shared/core/run/run-state.ts';
import { fillTemplate } from '../../../shared/core/run/template.ts';
import { findRun, nextVisit, templateScope } from '../rows.ts';
import type { RunRecord } from '../rows.ts';
import type { Connection } from '../connection.ts';

/** A run can pass through this many states without an effect in between before it counts as going in circles. */
const SILENT_MOVE_LIMIT = 512;

/** Enters a state; states that need no outside act (choice, wait, done, fail) are carried on at once. */
export function enterState(
  connection: Connection,
  run: RunRecord,
  strategy: Strategy,
  stateId: StateId,
  nowMs: number,
): void {
  const { db, journal } = connection;
  let at = stateId;
  for (let moves = 0; moves < SILENT_MOVE_LIMIT; moves += 1) {
    const state: StrategyState | undefined = strategy.states[at];
    const visit = nextVisit(db, run.run_id, at);
    journal.append('run.entered', { agentId: run.agent_id, runId: run.run_id, stateId: at, stateVisit: visit });
    if (state === undefined)
      return endRun(connection, run, failedEnding(connection, run), `There is no state called ${at}`);
    if (state.type !== 'choice') return settleIn(connection, run, { state, stateId: at, visit, nowMs });
    const chosen = chooseBranch(state, templateScope(db, run));
    if (!chosen.ok) return endRun(connection, run, failedEnding(connection, run), chosen.error);
    const { agent_id: agentId, run_id: runId } = run;
    journal.append('successor.released', {
      agentId,
      runId,
      fromStateId: at,
      fromStateVisit: visit,
      toStateId: chosen.value,
    });
    at = chosen.value;
  }
  endRun(connection, run, failedEnding(connection, run), 'The strategy went in circles without doing anything');
}

function settleIn(
  connection: Connection,
  run: RunRecord,
  entered: { state: StrategyState; stateId: StateId; visit: number; nowMs: number },
): void {
  const { state, stateId, visit, nowMs } = entered;
  const { agent_id: agentId, run_id: runId } = run;
  if (state.type === 'wait') {
    connection.journal.append('run.waiting', {
      agentId,
      runId,
      stateId,
      stateVisit: visit,
      untilMs: nowMs + state.forMs,
    });
  } else if (state.type === 'done') {
    endRun(connection, run, 'done', state.title ?? 'Done');
  } else if (state.type === 'fail') {
    const reason = fillTemplate(state.reason ?? '', templateScope(connection.db, run));
    const text = reason.ok && reason.value !== '' ? reason.value : (state.title ?? 'Failed');
    endRun(connection, run, failedEnding(connection, run), text.slice(0, 400));
  }
}

/** Ends a run. Open questions of it are withdrawn by the projection. */
export function endRun(connection: Connection, run: RunRecord, ending: RunEnding, summary: string): void {
  connection.journal.append('run.ended', { agentId: run.agent_id, runId: run.run_id, ending, summary });
}

/** Which kind of failure it is: whether anything ever left the device for this run. */
export function failedEnding(connection: Connection, run: RunRecord): RunEnding {
  const now = findRun(connection.db, run.run_id);
  return now !== null && now.has_sent === 1 ? 'failed-was-sent' : 'failed-nothing-sent';
}
