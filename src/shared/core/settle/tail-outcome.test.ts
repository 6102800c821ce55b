import { describe, expect, it } from 'vitest';
import { hasDoubtBehind, tailOutcomeOf } from './tail-outcome.ts';
import type { SettledFacts } from './tail-outcome.ts';

const REFUSED = { kind: 'failure', class: 'permanent', code: 'refused', wasSent: true } as const;
const refused: SettledFacts = {
  outcome: REFUSED,
  isAnswered: true,
  effectKind: 'idempotent-by-key',
  followed: null,
};

describe('how the tail is told of a settled attempt', () => {
  it('what was sent and refused stands in the way of the next try', () => {
    expect(tailOutcomeOf(refused)).toBe('failed');
    expect(tailOutcomeOf({ ...refused, outcome: { kind: 'success' } })).toBe('committed');
  });

  it('what never left takes the place of what may have happened before it', () => {
    expect(tailOutcomeOf({ ...refused, isAnswered: false })).toBe('withdrawn');
  });

  // The decision may have changed by the time the tail hears of it: the question was asked anew, or the run was stopped.
  it.each(['repeat', null, 'stop-here', 'it-happened'] as const)(
    'a refused repeat hides the unclear attempt before it from other devices, once that is %s',
    (choice) => {
      expect(tailOutcomeOf({ ...refused, followed: { choice } })).toBe('withdrawn');
      expect(tailOutcomeOf({ ...refused, outcome: { kind: 'success' }, followed: { choice } })).toBe('committed');
    },
  );

  it.each(['send-again', 'undo-then-send'] as const)('a person who chose to %s is asked for ever', (choice) => {
    expect(hasDoubtBehind({ effectKind: 'idempotent-by-key', followed: { choice } })).toBe(false);
  });

  it.each(['blind', 'verifiable', 'compensable', 'read-only'] as const)(
    'a second try at what is %s is taken for a repeat by key',
    (effectKind) => {
      expect(tailOutcomeOf({ ...refused, effectKind, followed: { choice: 'repeat' } })).toBe('failed');
    },
  );
});
