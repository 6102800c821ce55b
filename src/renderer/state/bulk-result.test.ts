import { describe, expect, it } from 'vitest';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { NOTHING_YET, answeredOf, counted } from './bulk-result.ts';

describe('asking for the same about many things', () => {
  it('counts one that had ended already as done, or forgets why one could not be', () => {
    const answers = {
      a: ok(null),
      b: err(problem('run-ended', 'It has ended.')),
      c: err(problem('store-busy', 'Busy.', 'Wait.')),
      d: err(problem('internal', 'Another reason.')),
    };
    let result = NOTHING_YET;
    for (const [id, answer] of Object.entries(answers))
      result = counted(result, { id, answer, alreadyCode: 'run-ended' });
    expect(result).toEqual({ done: ['a'], already: ['b'], failed: ['c', 'd'], whyFailed: 'Busy. Wait.' });
    expect(answeredOf(result)).toBe(4);
  });
});
