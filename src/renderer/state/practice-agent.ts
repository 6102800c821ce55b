import type { AgentRow } from '../../shared/contract/views.ts';

/** The agent to practise with: among the samples, the one that says so; else any sample. */
export function practiceAgent(agents: readonly AgentRow[]): AgentRow | null {
  const samples = agents.filter((agent) => agent.isSample);
  return samples.find((agent) => /practi[cs]e/iu.test(`${agent.agentId} ${agent.name}`)) ?? samples[0] ?? null;
}
