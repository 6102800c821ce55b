import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { LeasesView, LeaseWait } from '../../shared/contract/lease-views.ts';
import { readAll } from '../store/connection.ts';
import { leaseView } from './lease.ts';
import { needsYouByAgent } from './needs-you.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { countText } from './words.ts';

/** The right to act, one row per agent. */
export function leasesView(source: ViewSource): LeasesView {
  const agents = readAll<{ agent_id: AgentId }>(
    source.connection.db,
    'SELECT agent_id FROM agents ORDER BY name, agent_id',
  );
  const needs = needsYouByAgent(source);
  const leases = agents.map(({ agent_id: agentId }) => ({
    ...leaseView(source, agentId),
    waits: waitOf(needs.get(agentId) ?? { unclear: 0, approvals: 0 }),
  }));
  return { sequence: sequenceOf(source), leases };
}

/** An unclear step comes first: until it is decided, nothing of it is repeated. */
function waitOf({ unclear, approvals }: { readonly unclear: number; readonly approvals: number }): LeaseWait | null {
  const steps = countText(unclear, 'unclear step');
  const questions = countText(approvals, 'question');
  if (unclear > 0 && approvals > 0) return { kind: 'unclear', sentence: `${steps} and ${questions} wait for you` };
  if (unclear > 0) return { kind: 'unclear', sentence: `${steps} ${unclear === 1 ? 'waits' : 'wait'} for you` };
  if (approvals === 0) return null;
  return {
    kind: 'approve',
    sentence: approvals === 1 ? 'Waits for your approval' : `${questions} wait for your approval`,
  };
}
