import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { LeasesView } from '../../shared/contract/lease-views.ts';
import { readAll } from '../store/connection.ts';
import { leaseView } from './lease.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The right to act, one row per agent. */
export function leasesView(source: ViewSource): LeasesView {
  const agents = readAll<{ agent_id: AgentId }>(
    source.connection.db,
    'SELECT agent_id FROM agents ORDER BY name, agent_id',
  );
  return { sequence: sequenceOf(source), leases: agents.map((agent) => leaseView(source, agent.agent_id)) };
}
