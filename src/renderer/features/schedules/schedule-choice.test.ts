import { describe, expect, it } from 'vitest';
import type { AgentRow } from '../../../shared/contract/views.ts';
import { cronOf, FIRST_CHOICE, onlyAgentId } from './schedule-choice.ts';

describe('a chosen time', () => {
  it.each([
    { choice: {}, cron: '0 7 * * *' },
    { choice: { time: '23:05' }, cron: '5 23 * * *' },
    { choice: { every: 'hour', time: '09:20' }, cron: '20 * * * *' },
    { choice: { every: 'workday', time: '00:00' }, cron: '0 0 * * 1-5' },
    { choice: { every: 'week', weekday: '0', time: '17:30:00' }, cron: '30 17 * * 0' },
    { choice: { every: 'own', cron: ' 0 8 1 * * ' }, cron: '0 8 1 * *' },
    { choice: { every: 'own', cron: ' ' }, cron: null },
    { choice: { time: '' }, cron: null },
  ] as const)('comes on another day or hour: $choice', ({ choice, cron }) => {
    expect(cronOf({ ...FIRST_CHOICE, ...choice })).toBe(cron);
  });
});

describe('the agent of a new schedule', () => {
  const agent = (agentId: string, isSample: boolean): AgentRow => ({
    agentId,
    name: agentId,
    description: '',
    status: 'ready',
    lastRunAtMs: null,
    isSample,
  });

  it('is a sample, or the first of several, unless somebody looks', () => {
    const [sample, other] = [agent('ask-my-notes', true), agent('practice', true)];
    expect(onlyAgentId([sample, other])).toBeNull();
    expect(onlyAgentId([sample, agent('mine', false), other])).toBe('mine');
    expect(onlyAgentId([agent('mine', false), agent('yours', false)])).toBeNull();
  });

  it('has to be chosen although there is only one', () => {
    expect(onlyAgentId([agent('practice', true)])).toBe('practice');
    expect(onlyAgentId([])).toBeNull();
  });
});
