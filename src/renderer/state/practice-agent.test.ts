import { expect, it } from 'vitest';
import type { AgentRow } from '../../shared/contract/views.ts';
import { isPracticeAgent, practiceAgent } from './practice-agent.ts';

function agent(agentId: string, isSample: boolean): AgentRow {
  return { agentId, name: agentId, description: '', status: 'ready', lastRunAtMs: null, isSample };
}

it('never sends a newcomer to practise on an agent of their own', () => {
  expect(practiceAgent([agent('practice-mine', false), agent('practice', true)])?.agentId).toBe('practice');
  expect(practiceAgent([agent('mine', false)])).toBeNull();
  expect(practiceAgent([agent('sample', true), agent('practice', true)])?.agentId).toBe('practice');
});

it('tells of a purpose in what goes wrong in an agent of somebody else', () => {
  expect([agent('practice', true), agent('practice-mine', false), agent('sample', true)].map(isPracticeAgent)).toEqual([
    true,
    false,
    false,
  ]);
});
