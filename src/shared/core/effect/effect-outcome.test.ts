import { describe, expect, it } from 'vitest';
import { EFFECT_OUTCOME_UNKNOWN, outcomeEdge } from './effect-outcome.ts';
import type { EffectOutcome } from './effect-outcome.ts';

describe('which way an outcome leads', () => {
  it.each<{ hazard: string; outcome: EffectOutcome; edge: string }>([
    { hazard: 'a success takes another edge', outcome: { kind: 'success' }, edge: 'success' },
    {
      hazard: 'a refusal that was not sent counts as unclear',
      outcome: { kind: 'failure', class: 'permanent', code: 'http_422', wasSent: false },
      edge: 'failure',
    },
    { hazard: 'a timeout counts as a failure', outcome: { kind: 'unclear', code: 'timeout' }, edge: 'unclear' },
  ])('$hazard', ({ outcome, edge }) => {
    expect(outcomeEdge(outcome)).toBe(edge);
  });

  it('the code that other devices look for is renamed', () => {
    expect(EFFECT_OUTCOME_UNKNOWN).toBe('effect_outcome_unknown');
  });
});
