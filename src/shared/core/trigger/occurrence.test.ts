import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../contract/identifiers.ts';
import { DIGEST, OTHER_DIGEST } from '../example-facts.ts';
import { judgeOccurrence, occurrenceName, occurrenceText } from './occurrence.ts';
import type { AutomaticSource } from './occurrence.ts';

const textOf = (agentId: string, requestId: string) => occurrenceText(agentId as AgentId, { by: 'person', requestId });

describe('what names a run', () => {
  it('two devices give one request two names', () => {
    expect(textOf('agent', 'request-1')).toBe('5:agent6:person9:request-1');
  });

  it('two occurrences share a name', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (agent, request, otherAgent, otherRequest) => {
        const isSame = agent === otherAgent && request === otherRequest;
        expect(textOf(agent, request) === textOf(otherAgent, otherRequest)).toBe(isSame);
      }),
    );
    expect(textOf('a6:personb', 'c')).not.toBe(textOf('a', 'b6:personc'));
  });
});

describe('what names a run that nobody started by hand', () => {
  const sources: readonly AutomaticSource[] = [
    { by: 'schedule', triggerId: 'daily', slot: '2026-11-01T01:30' },
    { by: 'file', triggerId: 'daily', path: '2026-11-01T01:30', contentDigest: '' },
    { by: 'webhook', triggerId: 'daily', requestId: '2026-11-01T01:30' },
    { by: 'run', triggerId: 'daily', runId: '2026-11-01T01:30' },
    { by: 'run', triggerId: 'other', runId: '2026-11-01T01:30' },
  ];

  it('is shared by occurrences of different triggers', () => {
    const texts = sources.map((source) => occurrenceText('agent' as AgentId, source));
    expect(new Set(texts).size).toBe(sources.length);
    expect(texts[0]).toBe('5:agent8:schedule5:daily16:2026-11-01T01:30');
  });

  it('is shared by two files, or two contents', () => {
    const file = (path: string, contentDigest: string) =>
      occurrenceName({ by: 'file', triggerId: 't', path, contentDigest });
    expect(new Set([file('a', 'bc'), file('ab', 'c'), file('a', 'c')]).size).toBe(3);
  });

  it('is empty for a kind of a later version', () => {
    expect(() => occurrenceName({ by: 'mail' } as unknown as AutomaticSource)).toThrow('mail');
  });
});

describe('a request that may have come before', () => {
  it.each([
    { hazard: 'a first request is refused', existing: null, kind: 'new' },
    { hazard: 'a repeated request starts a second run', existing: DIGEST, kind: 'same-run' },
    { hazard: 'another content under the same id runs, or is merged', existing: OTHER_DIGEST, kind: 'conflict' },
  ])('$hazard', ({ existing, kind }) => {
    expect(judgeOccurrence(existing, DIGEST)).toEqual({ kind });
  });
});
