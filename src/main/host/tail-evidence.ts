import type { AgentId } from '../../shared/contract/identifiers.ts';
import { findAttempt, findRun } from '../store/rows.ts';
import { settleFromRecord } from '../store/transactions/settle-effect.ts';
import type { PipelineState } from './pipeline/pipeline.ts';

/**
 * Takes the register's word for what an earlier holder did: its journal may have told of the attempt and not yet, or never, of
 * its end. What the tail calls committed has happened, so nobody is asked about it and nothing is looked up.
 */
export async function settleFromTail(state: PipelineState, agentId: AgentId): Promise<void> {
  const { ports, leases, inFlight } = state;
  const connection = ports.store.connection();
  if (connection === null || ports.coordinator.inside !== null || leases.held(agentId) === null) return;
  for (const { attemptToken, status, opId } of leases.status(agentId).view?.tail ?? []) {
    if (status !== 'committed' || opId === null || inFlight.has(attemptToken)) continue;
    const attempt = findAttempt(connection.db, attemptToken);
    const run = attempt === null ? null : findRun(connection.db, attempt.run_id);
    const strategy = run === null ? null : ports.strategyOf(run.revision_digest);
    if (attempt === null || attempt.progress === 'settled' || attempt.decision !== null || strategy === null) continue;
    await ports.store.write((within) => {
      const now = findAttempt(within.db, attemptToken);
      if (now === null || now.progress === 'settled' || now.decision !== null) return;
      const nowMs = ports.clock.read().wallMs;
      settleFromRecord(within, now, { strategy, nowMs, isEmbedded: false, committedOpId: opId });
    });
  }
}
