import type { AgentRow } from '../../shared/contract/views.ts';

/** The agent to practise with: among the samples, the one that says so; else any sample. */
export function practiceAgent(agents: readonly AgentRow[]): AgentRow | null {
  const samples = agents.filter((agent) => agent.isSample);
  return samples.find(isPracticeAgent) ?? samples[0] ?? null;
}

/** The sample that says of itself that it is for practising. */
export function isPracticeAgent({ agentId, name, isSample }: AgentRow): boolean {
  return isSample && /practi[cs]e/iu.test(`${agentId} ${name}`);
}
