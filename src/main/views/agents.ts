import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { AgentRow } from '../../shared/contract/views.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { readAll, readOne } from '../store/connection.ts';
import { activeGrant } from '../store/rows.ts';
import type { AgentRecord } from '../store/rows.ts';
import { statusOf } from './run-row.ts';
import type { StatusColumns } from './run-row.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The agents that come with the program; any other whose id begins with `sample-` counts as one as well. */
export const SAMPLE_AGENT_IDS: readonly string[] = ['practice', 'tidy-folder', 'loopback-summary'];

/** The most urgent first: what an agent's one word is taken from while runs of it are open. */
const URGENCY: readonly RunStatus[] = [
  'needs-recovery',
  'needs-approval',
  'running-here',
  'running-elsewhere',
  'refused',
  'waiting',
];

/** All agents by name. */
export function agentsView(source: ViewSource): { readonly sequence: number; readonly agents: readonly AgentRow[] } {
  const agents = readAll<AgentRecord>(source.connection.db, 'SELECT * FROM agents ORDER BY name, agent_id');
  return { sequence: sequenceOf(source), agents: agents.map((agent) => agentRow(source, agent)) };
}

/** One agent as a row. */
export function agentRow(source: ViewSource, agent: AgentRecord): AgentRow {
  const { agent_id: agentId, name, description } = agent;
  const last = readOne<{ started_at_ms: number }>(
    source.connection.db,
    'SELECT started_at_ms FROM runs WHERE agent_id = ? ORDER BY run_number DESC LIMIT 1',
    agentId,
  );
  const isSample = agentId.startsWith('sample-') || SAMPLE_AGENT_IDS.includes(agentId);
  return {
    agentId,
    name,
    description,
    status: agentStatus(source, agent),
    lastRunAtMs: last?.started_at_ms ?? null,
    isSample,
  };
}

function agentStatus(source: ViewSource, agent: AgentRecord): AgentRow['status'] {
  const { db } = source.connection;
  const statuses = new Set(openGroups(source, agent.agent_id).map((group) => statusOf(source, group)));
  const urgent = URGENCY.find((status) => statuses.has(status)) ?? null;
  const grant = activeGrant(db, agent.agent_id);
  const isPermitted = grant !== null && grant.revision_digest === agent.revision_digest;
  if (urgent === 'needs-recovery' || urgent === 'needs-approval') return urgent;
  if (!isPermitted) return 'needs-permission';
  return urgent ?? 'ready';
}

function openGroups(source: ViewSource, agentId: AgentId): StatusColumns[] {
  return readAll<StatusColumns>(
    source.connection.db,
    'SELECT DISTINCT agent_id, phase, ending, barrier_active, is_refused FROM runs WHERE agent_id = ? AND ending IS NULL',
    agentId,
  );
}
