import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { AgentRow } from '../../shared/contract/views.ts';
import { readAll, readOne } from '../store/connection.ts';
import { grantNow } from '../store/grant-now.ts';
import type { AgentRecord } from '../store/rows.ts';
import { mostUrgent, statusOf } from './run-status.ts';
import type { StatusColumns } from './run-status.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The agents that come with the program; any other whose id begins with `sample-` counts as one as well. */
export const SAMPLE_AGENT_IDS: readonly string[] = [
  'practice',
  'tidy-folder',
  'loopback-summary',
  'ask-my-notes',
  'folder-report',
  'review-old-files',
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
    'SELECT started_at_ms FROM runs WHERE agent_id = ? AND parent_run_id IS NULL ORDER BY run_number DESC LIMIT 1',
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
  const urgent = mostUrgent(openGroups(source, agent.agent_id).map((group) => statusOf(source, group)));
  const { standing } = grantNow(source.connection, agent.agent_id, agent.revision_digest);
  const isPermitted = standing.kind === 'in-force';
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
