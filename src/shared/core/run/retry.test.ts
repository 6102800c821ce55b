import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../contract/strategy.ts';
import type { EffectKind } from '../effect/effect-kind.ts';
import type { FailureClass } from '../effect/effect-outcome.ts';
import { decideRetry, isRepeatTooLate } from './retry.ts';
import type { RetryFacts } from './retry.ts';

const POLICY: RetryPolicy = { attempts: 5, budget: 32, firstDelayMs: 1_000, factor: 2, longestDelayMs: 3_000 };
const FACTS: RetryFacts = {
  class: 'transient',
  wasSent: false,
  wasSentBefore: false,
  effectKind: 'blind',
  attemptsMade: 1,
  repeats: 0,
  dedupeUntilMs: null,
  nowMs: 50_000,
};
const KEYED = { wasSent: true, effectKind: 'idempotent-by-key' } as const;

describe('whether a failed attempt is repeated', () => {
  it('a failure that nothing was sent for is given up', () => {
    expect(decideRetry(POLICY, FACTS)).toEqual({ kind: 'retry', delayMs: 1_000 });
  });

  it.each<{ hazard: string; policy?: RetryPolicy | undefined; facts?: Partial<RetryFacts>; reason: string }>([
    { hazard: 'a step repeats that nobody asked to', policy: undefined, reason: 'no-policy' },
    { hazard: 'a refusal is asked again', facts: { class: 'permanent' }, reason: 'not-transient' },
    { hazard: 'a missing right is asked for again', facts: { class: 'authority' }, reason: 'not-transient' },
    { hazard: 'a doubt is taken for a failure', facts: { class: 'in-doubt' }, reason: 'not-transient' },
    { hazard: 'one attempt too many is made', facts: { attemptsMade: 5 }, reason: 'attempts-spent' },
    { hazard: 'attempts that were never asked for are made', facts: { attemptsMade: 9 }, reason: 'attempts-spent' },
    { hazard: 'a loop repeats without end', facts: { repeats: 32 }, reason: 'budget-spent' },
    { hazard: 'a blind effect happens twice', facts: { wasSent: true }, reason: 'could-happen-twice' },
    {
      hazard: 'an effect that could be looked for happens twice',
      facts: { wasSent: true, effectKind: 'verifiable' },
      reason: 'could-happen-twice',
    },
    {
      hazard: 'an effect that is not undone happens twice',
      facts: { wasSent: true, effectKind: 'compensable' },
      reason: 'could-happen-twice',
    },
    { hazard: 'a key that nobody remembers is trusted', facts: KEYED, reason: 'could-happen-twice' },
    {
      hazard: 'a failure that was not sent hides that the one before it was',
      facts: { effectKind: 'idempotent-by-key', wasSentBefore: true, dedupeUntilMs: 51_000 },
      reason: 'could-happen-twice',
    },
    {
      hazard: 'a calendar that went back says that the key is remembered',
      facts: { ...KEYED, dedupeUntilMs: 90_000, nowMs: null },
      reason: 'could-happen-twice',
    },
    {
      hazard: 'the target has forgotten the key by then',
      facts: { ...KEYED, dedupeUntilMs: 51_000 },
      reason: 'could-happen-twice',
    },
  ])('$hazard', ({ facts, reason, ...given }) => {
    const policy = 'policy' in given ? given.policy : POLICY;
    expect(decideRetry(policy, { ...FACTS, ...facts })).toEqual({ kind: 'give-up', reason });
  });

  it('what cannot happen twice is given up', () => {
    expect(decideRetry(POLICY, { ...FACTS, ...KEYED, dedupeUntilMs: 51_001 }).kind).toBe('retry');
    expect(decideRetry(POLICY, { ...FACTS, wasSent: true, effectKind: 'read-only' }).kind).toBe('retry');
    expect(decideRetry(POLICY, { ...FACTS, effectKind: 'idempotent-by-key' }).kind).toBe('retry');
    expect(decideRetry(POLICY, { ...FACTS, attemptsMade: 4, repeats: 31 }).kind).toBe('retry');
  });

  it('a delay grows without bound, or not at all', () => {
    const delays = [1, 2, 3, 4].map((attemptsMade) => decideRetry(POLICY, { ...FACTS, attemptsMade }));
    expect(delays.map((each) => (each.kind === 'retry' ? each.delayMs : each.reason))).toEqual([
      1_000, 2_000, 3_000, 3_000,
    ]);
  });
});

describe('whether a repeat that was decided in time is sent late', () => {
  const late = { ...FACTS, ...KEYED, dedupeUntilMs: 50_000 };

  it('a target that has forgotten the key does it again', () => {
    expect(isRepeatTooLate(late)).toBe(true);
    expect(isRepeatTooLate({ ...late, wasSent: false, wasSentBefore: true })).toBe(true);
    expect(isRepeatTooLate({ ...late, nowMs: null })).toBe(true);
  });

  it('a repeat that cannot do it twice is given up', () => {
    expect(isRepeatTooLate({ ...late, dedupeUntilMs: 50_001 })).toBe(false);
    expect(isRepeatTooLate({ ...late, wasSent: false })).toBe(false);
    expect(isRepeatTooLate({ ...late, effectKind: 'read-only' })).toBe(false);
  });
});

describe('any policy and any failure', () => {
  const policies = fc.record({
    attempts: fc.integer({ min: 2, max: 20 }),
    budget: fc.integer({ min: 1, max: 256 }),
    firstDelayMs: fc.integer({ min: 1, max: 3_600_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    longestDelayMs: fc.integer({ min: 1, max: 86_400_000 }),
  });
  const facts = fc.record({
    class: fc.constantFrom<FailureClass>('transient', 'permanent', 'authority', 'runtime', 'sandbox', 'in-doubt'),
    wasSent: fc.boolean(),
    wasSentBefore: fc.boolean(),
    effectKind: fc.constantFrom<EffectKind>('read-only', 'idempotent-by-key', 'verifiable', 'compensable', 'blind'),
    attemptsMade: fc.integer({ min: 1, max: 25 }),
    repeats: fc.integer({ min: 0, max: 300 }),
    dedupeUntilMs: fc.option(fc.integer({ min: 0, max: 200_000_000 })),
    nowMs: fc.option(fc.integer({ min: 0, max: 100_000_000 })),
  });

  it('lets something happen twice, goes beyond a limit, or waits a time that no timer takes', () => {
    fc.assert(
      fc.property(fc.option(policies, { nil: undefined }), facts, (policy, given) => {
        const decision = decideRetry(policy, given);
        if (decision.kind === 'give-up') return;
        const stillKnown =
          given.effectKind === 'idempotent-by-key' &&
          given.dedupeUntilMs !== null &&
          given.nowMs !== null &&
          given.nowMs + decision.delayMs < given.dedupeUntilMs;
        const isUnsent = !given.wasSent && (given.effectKind !== 'idempotent-by-key' || !given.wasSentBefore);
        expect(isUnsent || given.effectKind === 'read-only' || stillKnown).toBe(true);
        expect(given.class).toBe('transient');
        expect(given.attemptsMade).toBeLessThan(policy?.attempts ?? 0);
        expect(given.repeats).toBeLessThan(policy?.budget ?? 0);
        expect(Number.isSafeInteger(decision.delayMs)).toBe(true);
        expect(decision.delayMs).toBeGreaterThan(0);
        expect(decision.delayMs).toBeLessThanOrEqual(policy?.longestDelayMs ?? 0);
      }),
      { numRuns: 2_000 },
    );
  });
});
