import type { AgentId } from '../../shared/contract/identifiers.ts';
import { readAll } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';
import { findAttempt, findRun } from '../store/rows.ts';
import type { AttemptRecord } from '../store/rows.ts';
import { settleFromRecord } from '../store/transactions/settle-effect.ts';
import type { PipelineState } from './pipeline/pipeline.ts';

function openAttempts(
  { db }: Connection,
  agentId: AgentId,
): readonly Pick<AttemptRecord, 'attempt_token' | 'run_id'>[] {
  const sql = `SELECT attempt_token, run_id FROM attempts WHERE agent_id = ? AND progress <> 'settled' AND decision IS NULL`;
  return readAll(db, sql, agentId);
}

/**
 * Takes the register's word for what an earlier holder did: its journal may have told of the attempt and not yet, or never, of
 * its end. What the tail calls committed has happened, so nobody is asked about it and nothing is looked up.
 */
export async function settleFromTail(state: PipelineState, agentId: AgentId): Promise<void> {
  const { ports, leases, inFlight } = state;
  const connection = ports.store.connection();
  if (connection === null || ports.coordinator.inside !== null || leases.held(agentId) === null) return;
  // A tail holds hundreds of entries, and hardly ever one of the few attempts that are open.
  const open = new Map(openAttempts(connection, agentId).map((attempt) => [attempt.attempt_token, attempt.run_id]));
  for (const { attemptToken, status, opId } of leases.status(agentId).view?.tail ?? []) {
    const runId = open.get(attemptToken);
    if (status !== 'committed' || opId === null || runId === undefined || inFlight.has(attemptToken)) continue;
    const run = findRun(connection.db, runId);
    const strategy = run === null ? null : ports.strategyOf(run.revision_digest);
    if (strategy === null) continue;
    await ports.store.write((within) => {
      const now = findAttempt(within.db, attemptToken);
      if (now === null || now.progress === 'settled' || now.decision !== null) return;
      const nowMs = ports.clock.read().wallMs;
      settleFromRecord(within, now, { strategy, nowMs, isEmbedded: false, committedOpId: opId });
    });
  }
}
