import type { TriggerStand } from '../../../shared/core/trigger/due.ts';
import type { Connection } from '../../store/connection.ts';
import { grantNow } from '../../store/grant-now.ts';
import { holdOf } from '../../store/holds.ts';
import { findAgent } from '../../store/rows.ts';
import type { HostPorts } from '../ports.ts';

/** `not-here`: the permission names other devices, so this one neither fires nor misses anything. */
export type AgentStand = TriggerStand | 'not-here';

/** Whether an agent's triggers may start runs now. The same is checked again in the transaction that starts one. */
export function agentStand(connection: Connection, ports: Pick<HostPorts, 'strategyOf'>, agentId: string): AgentStand {
  const { db } = connection;
  const agent = findAgent(db, agentId);
  if (agent === null) return 'no-permission';
  if (ports.strategyOf(agent.revision_digest) === null) return 'strategy-broken';
  const { standing } = grantNow(connection, agentId, agent.revision_digest);
  if (standing.kind === 'other-device') return 'not-here';
  if (standing.kind !== 'in-force') return 'no-permission';
  return holdOf(db, { agent_id: agent.agent_id, barrier_active: 0 }) === null ? 'ready' : 'paused';
}
