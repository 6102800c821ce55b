import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectProgress } from '../effect/effect-outcome.ts';
import { exampleAttempt, exampleClaim, FOREIGN_ATTEMPTS, FOREIGN_OWNERS, OWNER } from '../example-facts.ts';
import { settleEffect } from './settle-effect.ts';
import type { EffectCompletion, SettleFacts } from './settle-effect.ts';

const COMPLETION: EffectCompletion = { ...exampleAttempt(), owner: OWNER, outputDigest: 'out' };
const PROGRESS: readonly EffectProgress[] = ['never-started', 'in-flight', 'settled'];

function decide(changes: Partial<SettleFacts>) {
  const plain = { lease: exampleClaim(), progress: 'in-flight', recordedOutputDigest: null, isInDoubt: false } as const;
  return settleEffect({ ...plain, completion: COMPLETION, ...changes }).kind;
}

describe('the table of settlements', () => {
  it.each<{ progress: EffectProgress; recorded: string | null; isInDoubt: boolean; verdict: string }>([
    { progress: 'in-flight', recorded: null, isInDoubt: false, verdict: 'accepted' },
    { progress: 'in-flight', recorded: null, isInDoubt: true, verdict: 'late-evidence' },
    { progress: 'never-started', recorded: null, isInDoubt: false, verdict: 'rejected-never-started' },
    { progress: 'never-started', recorded: null, isInDoubt: true, verdict: 'rejected-never-started' },
    { progress: 'settled', recorded: 'out', isInDoubt: false, verdict: 'duplicate' },
    { progress: 'settled', recorded: 'out', isInDoubt: true, verdict: 'duplicate' },
    { progress: 'settled', recorded: 'another', isInDoubt: false, verdict: 'rejected-conflict' },
    { progress: 'settled', recorded: 'another', isInDoubt: true, verdict: 'late-evidence' },
    { progress: 'settled', recorded: null, isInDoubt: false, verdict: 'rejected-conflict' },
    { progress: 'settled', recorded: null, isInDoubt: true, verdict: 'late-evidence' },
  ])('$progress, recorded $recorded, in doubt $isInDoubt: $verdict', ({ progress, recorded, isInDoubt, verdict }) => {
    expect(decide({ progress, recordedOutputDigest: recorded, isInDoubt })).toBe(verdict);
  });

  it('an owner whose lease lapsed cannot settle what it did', () => {
    expect(decide({ lease: exampleClaim({ leaseUntil: { bootId: 'boot-0', bootMs: 0 } }) })).toBe('accepted');
  });

  it('two outcomes without output count as one because both digests are empty', () => {
    const completion = { ...COMPLETION, outputDigest: '' };
    expect(decide({ progress: 'settled', recordedOutputDigest: null, completion })).toBe('rejected-conflict');
    expect(decide({ progress: 'settled', recordedOutputDigest: '', completion })).toBe('duplicate');
  });
});

describe('who may settle', () => {
  it.each(FOREIGN_ATTEMPTS)('a report about another $field settles this attempt', ({ attempt }) => {
    for (const progress of PROGRESS) {
      expect(decide({ progress, completion: { ...COMPLETION, ...attempt } })).toBe('rejected-stale-owner');
    }
  });

  it.each(FOREIGN_OWNERS)("$who settles its predecessor's attempt", ({ owner }) => {
    for (const progress of PROGRESS) {
      const facts = { progress, recordedOutputDigest: 'out', completion: { ...COMPLETION, owner } };
      expect(decide(facts)).toBe('rejected-stale-owner');
    }
  });
});

describe('settlements in any state', () => {
  it('a second report changes what the first one settled', () => {
    const reports = fc.array(fc.constantFrom('one', 'two', ''), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(reports, fc.boolean(), (digests, isInDoubt) => {
        let recorded: string | null = null;
        let accepted = 0;
        for (const outputDigest of digests) {
          const progress: EffectProgress = recorded === null ? 'in-flight' : 'settled';
          const completion = { ...COMPLETION, outputDigest };
          const verdict = decide({ progress, recordedOutputDigest: recorded, isInDoubt, completion });
          if (verdict === 'accepted') {
            accepted += 1;
            recorded = outputDigest;
          }
        }
        expect(accepted).toBe(isInDoubt ? 0 : 1);
        expect(recorded).toBe(isInDoubt ? null : digests[0]);
      }),
    );
  });
});
