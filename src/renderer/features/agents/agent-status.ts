import type { AgentRow } from '../../../shared/contract/views.ts';
import { practiceAgent } from '../../state/practice-agent.ts';
import type { IconName } from '../../ui/icon-shapes.tsx';
import { stateLooks } from '../../ui/state-words.ts';
import { text } from './strings.ts';

/** How one agent looks in the list: shape, word and tone. */
export interface AgentLook {
  readonly icon: IconName;
  readonly word: string;
  readonly tone: string;
}

export function agentLook(status: AgentRow['status']): AgentLook {
  if (status === 'ready') return { icon: 's-wait', word: text.ready, tone: 'quiet' };
  if (status === 'needs-permission') return { icon: 'lock', word: text.needsPermission, tone: 'quiet' };
  return stateLooks[status];
}

const URGENCY: Readonly<Partial<Record<AgentRow['status'], number>>> = {
  'needs-recovery': 0,
  'needs-approval': 1,
  'running-here': 2,
  'running-elsewhere': 3,
  'failed-was-sent': 4,
};
const ORDINARY = 5;

/** Which agent is open without an address: the first in the list, or as long as none was ever used, the one to practise with. */
export function openedFirst(agents: readonly AgentRow[]): AgentRow | null {
  const isUntouched = agents.every((agent) => agent.status === 'needs-permission' && agent.lastRunAtMs === null);
  return (isUntouched ? practiceAgent(agents) : null) ?? inListOrder(agents)[0] ?? null;
}

/** What needs a person on top, then what runs, then the rest by name. */
export function inListOrder(agents: readonly AgentRow[]): readonly AgentRow[] {
  const rank = (agent: AgentRow) => URGENCY[agent.status] ?? ORDINARY;
  return agents.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name, 'en'));
}
