import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../contract/identifiers.ts';
import { DIGEST, OTHER_DIGEST } from '../example-facts.ts';
import { judgeOccurrence, occurrenceText } from './occurrence.ts';

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

describe('a request that may have come before', () => {
  it.each([
    { hazard: 'a first request is refused', existing: null, kind: 'new' },
    { hazard: 'a repeated request starts a second run', existing: DIGEST, kind: 'same-run' },
    { hazard: 'another content under the same id runs, or is merged', existing: OTHER_DIGEST, kind: 'conflict' },
  ])('$hazard', ({ existing, kind }) => {
    expect(judgeOccurrence(existing, DIGEST)).toEqual({ kind });
  });
});
