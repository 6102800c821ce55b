import { describe, expect, it } from 'vitest';
import { isConcerned, isConcernedByBranches, isGap } from './concerns.ts';

const notice = (change: object) => ({ sequence: 5, previousSequence: 4, runIds: [], agentIds: [], ...change });

describe('which answers a notice makes old', () => {
  it('reads everything again after a gap, and after the first notice, whose past nobody knows', () => {
    expect(isGap(4, notice({}))).toBe(false);
    expect(isGap(3, notice({}))).toBe(true);
    expect(isGap(null, notice({}))).toBe(true);
  });

  it('leaves another run’s screen alone', () => {
    expect(isConcerned('runs.get', { runId: 'a' }, notice({ runIds: ['b'] }))).toBe(false);
    expect(isConcerned('runs.get', { runId: 'a' }, notice({ runIds: ['a'] }))).toBe(true);
  });

  it('reads lists and questions again whatever changed', () => {
    expect(isConcerned('runs.list', { search: '' }, notice({}))).toBe(true);
    expect(isConcerned('runs.list', { agentId: 'a' }, notice({ agentIds: ['b'] }))).toBe(true);
    expect(isConcerned('recovery.get', { attemptToken: 't' }, notice({ runIds: ['b'] }))).toBe(true);
  });

  it('never reads a text again that is named by its own digest', () => {
    expect(isConcerned('text.get', { digest: 'd' }, notice({}))).toBe(false);
  });

  it('floods the host while a call tells of its progress, or takes that for a gap', () => {
    const live = notice({ sequence: 5, previousSequence: 5, runIds: ['a'] });
    expect(isGap(5, live)).toBe(false);
    expect(isConcerned('runs.get', { runId: 'a' }, live)).toBe(true);
    expect(isConcerned('runs.get', { runId: 'b' }, live)).toBe(false);
    for (const route of ['runs.list', 'overview.get', 'needs.list', 'runs.branches'] as const)
      expect(isConcerned(route, route === 'runs.branches' ? { runId: 'a' } : {}, live)).toBe(false);
    const value = { row: { endedAtMs: null }, branchings: [{}] };
    expect(isConcernedByBranches({ route: 'runs.get', value }, live)).toBe(false);
  });

  it('hides what other devices do, or reads the runs again for it', () => {
    const shared = notice({ sequence: 5, previousSequence: 5, agentIds: ['a'] });
    for (const route of ['leases.list', 'overview.get', 'coordinator.get', 'devices.list', 'signIns.list'] as const)
      expect(isConcerned(route, {}, shared)).toBe(true);
    for (const route of ['runs.list', 'needs.list', 'agents.get'] as const)
      expect(isConcerned(route, {}, shared)).toBe(false);
  });

  it('leaves a run standing still whose branches go on', () => {
    const branch = notice({ runIds: ['branch'] });
    const value = { row: { endedAtMs: null }, branchings: [{}] };
    expect(isConcernedByBranches({ route: 'runs.get', value }, branch)).toBe(true);
    expect(isConcernedByBranches({ route: 'runs.branches', value: null }, branch)).toBe(true);
    expect(isConcernedByBranches({ route: 'runs.get', value }, notice({}))).toBe(false);
    expect(isConcernedByBranches({ route: 'runs.get', value: { ...value, branchings: [] } }, branch)).toBe(false);
    expect(isConcernedByBranches({ route: 'runs.get', value: null }, branch)).toBe(false);
  });
});
