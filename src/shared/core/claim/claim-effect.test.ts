import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectProgress } from '../effect/effect-outcome.ts';
import {
  DESKTOP,
  exampleAttempt,
  exampleClaim,
  FOREIGN_ATTEMPTS,
  FOREIGN_OWNERS,
  instant,
  OWNER,
} from '../example-facts.ts';
import { claimEffect, isSameOwner } from './claim-effect.ts';
import type { ClaimFacts } from './claim-effect.ts';

const OTHER = { deviceId: DESKTOP, hostId: 'host-9', epoch: 5 };
const LIVE = instant(999);
const OVER = instant(1_000);

/** `OTHER` asks, at a moment when the claim of `OWNER` is still live. */
function decide(changes: Partial<ClaimFacts>) {
  return claimEffect({
    attempt: exampleAttempt(),
    existing: exampleClaim(),
    progress: 'never-started',
    owner: OTHER,
    now: LIVE,
    leaseUntil: instant(9_000),
    ...changes,
  });
}

const HELD = { kind: 'held', owner: OWNER, leaseUntil: instant(1_000) };
const SETTLED = { kind: 'already-settled' };
const GRANTED = { kind: 'granted', lease: exampleClaim({ owner: OTHER, leaseUntil: instant(9_000) }) };

describe('the decision table of claims', () => {
  it.each([
    { lease: 'no', progress: 'never-started', existing: null, now: LIVE, verdict: GRANTED },
    {
      lease: 'no',
      progress: 'in-flight',
      existing: null,
      now: LIVE,
      verdict: { kind: 'in-doubt', previousOwner: null },
    },
    { lease: 'no', progress: 'settled', existing: null, now: LIVE, verdict: SETTLED },
    { lease: 'a live', progress: 'never-started', existing: exampleClaim(), now: LIVE, verdict: HELD },
    { lease: 'a live', progress: 'in-flight', existing: exampleClaim(), now: LIVE, verdict: HELD },
    { lease: 'a live', progress: 'settled', existing: exampleClaim(), now: LIVE, verdict: SETTLED },
    {
      lease: 'an expired',
      progress: 'never-started',
      existing: exampleClaim(),
      now: OVER,
      verdict: { kind: 'reclaimable', previousOwner: OWNER },
    },
    {
      lease: 'an expired',
      progress: 'in-flight',
      existing: exampleClaim(),
      now: OVER,
      verdict: { kind: 'in-doubt', previousOwner: OWNER },
    },
    { lease: 'an expired', progress: 'settled', existing: exampleClaim(), now: OVER, verdict: SETTLED },
  ] as const)(
    'with $lease lease and progress $progress it is $verdict.kind',
    ({ progress, existing, now, verdict }) => {
      expect(decide({ progress, existing, now })).toEqual(verdict);
    },
  );

  it('an effect in flight is granted again because its lease row is gone', () => {
    expect(decide({ existing: null, progress: 'in-flight', owner: OWNER }).kind).toBe('in-doubt');
  });

  it('a claim of an earlier boot counts as live because its number is higher', () => {
    const verdict = decide({ now: instant(5, 'boot-2'), leaseUntil: instant(99, 'boot-2') });
    expect(verdict).toEqual({ kind: 'reclaimable', previousOwner: OWNER });
  });
});

describe('who asks', () => {
  it.each(['never-started', 'in-flight'] as const)('an owner is kept out of its own live claim, %s', (progress) => {
    expect(decide({ owner: OWNER, progress })).toEqual({ kind: 'granted', lease: exampleClaim() });
  });

  it('asking again moves the deadline of a claim', () => {
    const verdict = decide({ owner: OWNER, leaseUntil: instant(50_000) });
    expect(verdict).toMatchObject({ kind: 'granted', lease: { leaseUntil: instant(1_000) } });
  });

  it.each(FOREIGN_OWNERS)("$who takes its predecessor's claim as its own", ({ owner }) => {
    expect(isSameOwner(OWNER, owner)).toBe(false);
    expect(decide({ owner })).toEqual(HELD);
    expect(decide({ owner, progress: 'in-flight' })).toEqual(HELD);
  });

  it('an owner repeats its own effect after its claim ran out', () => {
    expect(decide({ owner: OWNER, progress: 'in-flight', now: OVER }).kind).toBe('in-doubt');
    expect(decide({ owner: OWNER, now: OVER }).kind).toBe('reclaimable');
  });
});

describe('what makes a request invalid', () => {
  it.each(FOREIGN_ATTEMPTS)('a claim row of another $field is taken for this attempt', ({ attempt }) => {
    for (const progress of ['never-started', 'in-flight', 'settled'] as const) {
      expect(decide({ attempt, progress })).toEqual({ kind: 'identity-conflict' });
      expect(decide({ attempt, progress, now: OVER })).toEqual({ kind: 'identity-conflict' });
    }
  });

  it.each([
    { name: 'ends now', leaseUntil: instant(999) },
    { name: 'ended before', leaseUntil: instant(998) },
    { name: 'ends on the clock of another boot', leaseUntil: instant(9_000, 'boot-2') },
  ])('a lease that $name is granted and fences nothing', ({ leaseUntil }) => {
    for (const existing of [null, exampleClaim()]) {
      expect(decide({ existing, leaseUntil })).toEqual({ kind: 'invalid-lease' });
      expect(decide({ existing, leaseUntil, progress: 'settled' })).toEqual({ kind: 'invalid-lease' });
    }
  });

  it('a conflict of identities is reported as a bad lease', () => {
    expect(decide({ attempt: exampleAttempt('other'), leaseUntil: instant(0) }).kind).toBe('identity-conflict');
  });
});

describe('claims in any state', () => {
  it('something is granted over the live claim of somebody else, or after the effect may have begun', () => {
    const facts = fc.record({
      attempt: fc.constantFrom(exampleAttempt(), exampleAttempt('other')),
      existing: fc.constantFrom(null, exampleClaim()),
      progress: fc.constantFrom<EffectProgress>('never-started', 'in-flight', 'settled'),
      owner: fc.constantFrom(OWNER, OTHER, ...FOREIGN_OWNERS.map((one) => one.owner)),
      now: fc
        .tuple(fc.integer({ min: 0, max: 2_000 }), fc.constantFrom('boot-1', 'boot-2'))
        .map(([at, boot]) => instant(at, boot)),
      leaseUntil: fc.integer({ min: 0, max: 2_000 }).map((at) => instant(at)),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const verdict = claimEffect(given);
        expect(claimEffect(given)).toEqual(verdict);
        if (verdict.kind !== 'granted') return;
        expect(verdict.lease.attemptToken).toBe(given.attempt.attemptToken);
        expect(verdict.lease.owner).toEqual(given.owner);
        expect(given.progress).not.toBe('settled');
        if (given.existing === null) expect(given.progress).toBe('never-started');
        else expect(verdict.lease).toBe(given.existing);
      }),
      { numRuns: 1_000 },
    );
  });
});
