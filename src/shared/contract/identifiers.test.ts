import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleAttempt, exampleEffect, FOREIGN_ATTEMPTS } from '../core/example-facts.ts';
import {
  agentIdSchema,
  digestSchema,
  identifierProblem,
  IDENTIFIER_MAX_BYTES,
  isSameAttempt,
  isSameEffect,
  stateIdSchema,
} from './identifiers.ts';

describe('what passes for an identifier', () => {
  it.each([
    'agent',
    'a',
    'mit Leerzeichen',
    'über',
    'post#1',
    'a:b/c.d',
    'x'.repeat(IDENTIFIER_MAX_BYTES),
    '\u{1F600}'.repeat(40),
  ])('%s is turned away', (text) => {
    expect(identifierProblem(text)).toBeNull();
    expect(agentIdSchema.safeParse(text).success).toBe(true);
  });

  it.each([
    { hazard: 'an empty name', text: '', problem: /empty/u },
    { hazard: 'white space alone', text: ' ', problem: /white space/u },
    { hazard: 'a leading space', text: ' a', problem: /white space/u },
    { hazard: 'a trailing line feed', text: 'a\n', problem: /white space/u },
    { hazard: 'a no-break space at the end', text: 'a\u00A0', problem: /white space/u },
    { hazard: 'a separator that is a control character', text: 'a\u0000b', problem: /control/u },
    { hazard: 'a line feed inside', text: 'a\nb', problem: /control/u },
    { hazard: 'a delete character', text: 'a\u007Fb', problem: /control/u },
    { hazard: 'a control character beyond ASCII', text: 'a\u0085b', problem: /control/u },
    { hazard: 'one byte too many', text: 'x'.repeat(IDENTIFIER_MAX_BYTES + 1), problem: /160 bytes/u },
    { hazard: 'few characters of many bytes', text: 'ü'.repeat(81), problem: /160 bytes/u },
    { hazard: 'few characters of four bytes each', text: '\u{1F600}'.repeat(41), problem: /160 bytes/u },
  ])('$hazard passes', ({ text, problem }) => {
    expect(identifierProblem(text)).toMatch(problem);
    const parsed = agentIdSchema.safeParse(text);
    expect(parsed.error?.issues[0]).toMatchObject({ code: 'custom', params: { code: 'identifier-invalid' } });
  });

  it('the rule and the schema disagree about some text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(agentIdSchema.safeParse(text).success).toBe(identifierProblem(text) === null);
      }),
    );
  });

  it.each(['', 'Post', '1post', '-post', 'po st', 'post#1', 'post!', 'a'.repeat(65)])(
    '%s passes for a state name',
    (text) => {
      expect(stateIdSchema.safeParse(text).success).toBe(false);
    },
  );

  it.each(['post', 'p', 'post-2-b', 'a'.repeat(64)])('%s is turned away as a state name', (text) => {
    expect(stateIdSchema.safeParse(text).success).toBe(true);
  });

  it('something else passes for a digest', () => {
    expect(digestSchema.safeParse('0af9'.repeat(16)).success).toBe(true);
    for (const text of ['', 'A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), `${'a'.repeat(64)}\n`]) {
      expect(digestSchema.safeParse(text).success, JSON.stringify(text)).toBe(false);
    }
  });
});

describe('equality of identities', () => {
  it('an equal attempt counts as another', () => {
    expect(isSameEffect(exampleEffect(), exampleEffect())).toBe(true);
    expect(isSameAttempt(exampleAttempt(), exampleAttempt())).toBe(true);
  });

  it.each(FOREIGN_ATTEMPTS)('another $field counts as the same', ({ field, attempt }) => {
    expect(isSameAttempt(exampleAttempt(), attempt)).toBe(false);
    expect(isSameEffect(exampleEffect(), attempt.effect)).toBe(field === 'attempt token');
  });

  it('two effects count as one because their joined names are equal', () => {
    const one = exampleEffect({ agentId: 'a', runId: 'b#c' });
    const other = exampleEffect({ agentId: 'a#b', runId: 'c' });
    expect(isSameEffect(one, other)).toBe(false);
  });
});
