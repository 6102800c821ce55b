import type { AgentId, RunId } from '../../../shared/contract/identifiers.ts';
import { readAll } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { activeGrant } from '../rows.ts';
import { stopRun } from './control-run.ts';

/** What a stop reached. */
export interface StoppedAgents {
  readonly runIds: readonly RunId[];
  readonly agentIds: readonly AgentId[];
}

/**
 * Stops one agent, or all of them (`null`): every open run for good, and the permission taken back, so that nothing starts
 * until a person gives a new one. What is in flight is tracked to its outcome. One transaction.
 */
export function stopAgents(connection: Connection, agentId: AgentId | null, by: string): StoppedAgents {
  const { db } = connection;
  const agentIds =
    agentId === null
      ? readAll<{ agent_id: AgentId }>(db, 'SELECT agent_id FROM agents ORDER BY agent_id').map((each) => each.agent_id)
      : [agentId];
  const runIds = agentIds.flatMap((each) => stopAgent(connection, each, by));
  return { runIds, agentIds };
}

function stopAgent(connection: Connection, agentId: AgentId, by: string): RunId[] {
  const { db, journal } = connection;
  const open = readAll<{ run_id: RunId }>(
    db,
    'SELECT run_id FROM runs WHERE agent_id = ? AND ending IS NULL ORDER BY run_number',
    agentId,
  );
  const grant = activeGrant(db, agentId);
  // An agent with nothing to stop is not told in the record that it was stopped.
  if (open.length === 0 && grant === null) return [];
  journal.append('agent.stop-requested', { agentId, by, runs: open.length });
  if (grant !== null) journal.append('grant.revoked', { agentId, grantDigest: grant.grant_digest, by });
  // A run that ended with another one, as a branch does with its run, says so itself.
  for (const { run_id: runId } of open) stopRun(connection, runId, by);
  return open.map((each) => each.run_id);
}
