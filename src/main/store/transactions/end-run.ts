import type { RunEnding } from '../../../shared/core/run/run-state.ts';
import type { Connection } from '../connection.ts';
import { findRun } from '../rows.ts';
import type { RunRecord } from '../rows.ts';

/** Ends a run. Open questions of it are withdrawn by the projection. */
export function endRun(connection: Connection, run: RunRecord, ending: RunEnding, summary: string): void {
  const text = summary.slice(0, 400);
  connection.journal.append('run.ended', { agentId: run.agent_id, runId: run.run_id, ending, summary: text });
}

/** Ends a run that cannot go on. */
export function failRun(connection: Connection, run: RunRecord, summary: string): void {
  endRun(connection, run, failedEnding(connection, run), summary);
}

/** Which kind of failure it is: whether anything ever left the device for this run, or for a branch of it. */
function failedEnding(connection: Connection, run: RunRecord): RunEnding {
  const now = findRun(connection.db, run.run_id);
  return now !== null && now.has_sent === 1 ? 'failed-was-sent' : 'failed-nothing-sent';
}
