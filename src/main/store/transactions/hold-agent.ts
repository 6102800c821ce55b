import type { AgentId, Digest } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { readAll } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { findHold, holdOf } from '../holds.ts';
import type { RunRecord } from '../rows.ts';
import { releaseHeldBack } from './control-run.ts';

/** A pause of one agent, or of everything (`null`). */
export interface AgentHold {
  readonly agentId: AgentId | null;
  readonly isUp: boolean;
  readonly by: string;
  readonly strategyOf: (revisionDigest: Digest) => Strategy | null;
  readonly nowMs: number;
}

/**
 * Puts up or takes down the pause of an agent or of everything. Runs that start meanwhile wait at it too. When it is taken
 * down, the steps that it held back are released, except behind another pause that is still up.
 */
export function holdAgents(connection: Connection, hold: AgentHold): void {
  const { db, journal } = connection;
  const { agentId, isUp, by, nowMs } = hold;
  if ((findHold(db, agentId) !== null) === isUp) return;
  journal.append(isUp ? 'agent.pause-requested' : 'agent.resumed', { agentId, by });
  if (isUp) return;
  const open = readAll<RunRecord>(
    db,
    'SELECT * FROM runs WHERE ending IS NULL AND (agent_id = ? OR ? IS NULL) ORDER BY run_number',
    agentId,
    agentId,
  );
  for (const run of open) {
    const strategy = hold.strategyOf(run.revision_digest);
    if (strategy === null || holdOf(db, run) !== null) continue;
    releaseHeldBack(connection, run, { strategy, nowMs });
  }
}
