import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectKind } from '../effect/effect-kind.ts';
import { AUTOMATIC_ATTEMPT_LIMIT, automaticRecovery, isNoFinal, repeatTermMs } from './automatic-recovery.ts';
import type { AutomaticRecovery, AutomaticRecoveryFacts } from './automatic-recovery.ts';

const FACTS: AutomaticRecoveryFacts = {
  effectKind: 'blind',
  dedupeUntilMs: 2_000,
  nowMs: 1_000,
  isProbeSilent: false,
  attemptNumber: 1,
  isRepeatRefused: false,
};
const ask = (reason: string) => ({ kind: 'ask', reason });
const REPEAT = { kind: 'repeat' };

describe('what is done about an in-doubt claim without asking', () => {
  it.each<{ hazard: string; facts: Partial<AutomaticRecoveryFacts>; step: object }>([
    { hazard: 'a person is asked about a mere look', facts: { effectKind: 'read-only' }, step: REPEAT },
    { hazard: 'a key that the target knows goes unused', facts: { effectKind: 'idempotent-by-key' }, step: REPEAT },
    {
      hazard: 'a key is sent again at the end of its window',
      facts: { effectKind: 'idempotent-by-key', nowMs: 2_000 },
      step: ask('window-over'),
    },
    {
      hazard: 'a key without a declared window counts for ever',
      facts: { effectKind: 'idempotent-by-key', dedupeUntilMs: null },
      step: ask('window-over'),
    },
    {
      hazard: 'the end of the window is hidden by the number of attempts',
      facts: { effectKind: 'idempotent-by-key', nowMs: 3_000, attemptNumber: 99 },
      step: ask('window-over'),
    },
    {
      hazard: 'a calendar that was set back brings a forgotten key back',
      facts: { effectKind: 'idempotent-by-key', nowMs: null },
      step: ask('window-over'),
    },
    {
      hazard: 'a refused repeat is repeated, or passes for an answer about the first attempt',
      facts: { effectKind: 'idempotent-by-key', isRepeatRefused: true },
      step: ask('repeat-refused'),
    },
    { hazard: 'nobody looks before asking', facts: { effectKind: 'verifiable' }, step: { kind: 'probe' } },
    {
      hazard: 'silence of a probe passes for "it did not happen"',
      facts: { effectKind: 'verifiable', isProbeSilent: true },
      step: ask('probe-silent'),
    },
    {
      hazard: 'a target that always looks untouched is called for ever',
      facts: { effectKind: 'verifiable', attemptNumber: AUTOMATIC_ATTEMPT_LIMIT },
      step: ask('repeats-used-up'),
    },
    {
      hazard: 'an effect is repeated because it could be undone',
      facts: { effectKind: 'compensable' },
      step: ask('kind'),
    },
    { hazard: 'a blind effect is repeated', facts: { effectKind: 'blind' }, step: ask('kind') },
  ])('$hazard', ({ facts, step }) => {
    expect(automaticRecovery({ ...FACTS, ...facts })).toEqual(step);
  });

  it.each(['read-only', 'idempotent-by-key'] as const)(
    'a %s target that kills its caller is called for ever',
    (effectKind) => {
      const attempt = (attemptNumber: number) => automaticRecovery({ ...FACTS, effectKind, attemptNumber });
      expect(attempt(AUTOMATIC_ATTEMPT_LIMIT - 1)).toEqual(REPEAT);
      expect(attempt(AUTOMATIC_ATTEMPT_LIMIT)).toEqual(ask('repeats-used-up'));
      expect(attempt(AUTOMATIC_ATTEMPT_LIMIT + 1)).toEqual(ask('repeats-used-up'));
    },
  );

  it('some mixture of facts repeats what is not safe to repeat', () => {
    const facts = fc.record({
      effectKind: fc.constantFrom<EffectKind>('read-only', 'idempotent-by-key', 'verifiable', 'compensable', 'blind'),
      dedupeUntilMs: fc.option(fc.integer()),
      nowMs: fc.option(fc.integer()),
      isProbeSilent: fc.boolean(),
      attemptNumber: fc.nat(10),
      isRepeatRefused: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const step: AutomaticRecovery = automaticRecovery(given);
        expect(['repeat', 'probe', 'ask']).toContain(step.kind);
        if (step.kind === 'probe') expect(given.effectKind).toBe('verifiable');
        if (step.kind !== 'repeat') return;
        expect(['read-only', 'idempotent-by-key']).toContain(given.effectKind);
        expect(given.attemptNumber).toBeLessThan(AUTOMATIC_ATTEMPT_LIMIT);
      }),
    );
  });

  it('a repeat outlasts the memory of a provider, by a slow clock or by its own time to send', () => {
    expect(repeatTermMs(60_000)).toBe(33_500);
    expect(repeatTermMs(9_000)).toBe(0);
  });

  it.each([
    ['timeout', false],
    ['aborted', false],
    ['effect_outcome_unknown', true],
    ['truncated', true],
    [null, true],
  ])('what ended by %s and is not there yet is repeated while it may still come', (code, isFinal) => {
    expect(isNoFinal(code)).toBe(isFinal);
  });

  it('a kind from a newer version is repeated', () => {
    const unknown = 'newer' as EffectKind;
    expect(() => automaticRecovery({ ...FACTS, effectKind: unknown })).toThrow('Unhandled case');
  });
});
