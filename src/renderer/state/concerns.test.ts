import { describe, expect, it } from 'vitest';
import { isConcerned, isGap } from './concerns.ts';

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
});
