import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { LeasesView, LeaseView, LeaseWait } from '../../shared/contract/lease-views.ts';
import { readAll } from '../store/connection.ts';
import { leaseView } from './lease.ts';
import { ownersOf } from './lease-owners.ts';
import { needsYouByAgent } from './needs-you.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { countText } from './words.ts';

/** The right to act, one row per agent. Who has it is known of each agent by itself, and stands in no record. */
export function leasesView(source: ViewSource, { deviceId }: ParsedRequestOf<'leases.list'>): LeasesView {
  const agents = readAll<{ agent_id: AgentId }>(
    source.connection.db,
    'SELECT agent_id FROM agents ORDER BY name, agent_id',
  );
  const all = agents.map(({ agent_id: agentId }) => leaseView(source, agentId));
  const isAskedFor = ({ holder }: LeaseView): boolean =>
    deviceId === undefined || (holder.kind === 'device' && holder.deviceId === deviceId);
  const needs = needsYouByAgent(source);
  const leases = all.filter(isAskedFor).map((lease) => ({
    ...lease,
    waits: waitOf(needs.get(lease.agentId as AgentId) ?? { unclear: 0, approvals: 0 }),
  }));
  return { sequence: sequenceOf(source), leases, owners: ownersOf(all), total: all.length };
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
