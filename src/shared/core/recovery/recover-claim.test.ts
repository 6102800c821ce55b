import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimEffect } from '../claim/claim-effect.ts';
import type { EffectProgress } from '../effect/effect-outcome.ts';
import { DESKTOP, exampleAttempt, exampleClaim, instant, OWNER } from '../example-facts.ts';
import { recoverClaim } from './recover-claim.ts';

const HELD = { kind: 'held', owner: OWNER, leaseUntil: instant(1_000) };
const DOUBT = { kind: 'in-doubt', previousOwner: OWNER, class: 'in-doubt', code: 'effect_outcome_unknown' };
const FREE = { kind: 'reclaimable', previousOwner: OWNER };
const DONE = { kind: 'already-completed' };

describe('what a claim that did not finish is worth', () => {
  it.each<{ hazard: string; progress: EffectProgress; at: number; verdict: object }>([
    { hazard: 'a live claim is taken away before it began', progress: 'never-started', at: 999, verdict: HELD },
    {
      hazard: 'a live claim is called lost because its process is gone',
      progress: 'in-flight',
      at: 999,
      verdict: HELD,
    },
    { hazard: 'a finished effect waits for its lease to end', progress: 'settled', at: 999, verdict: DONE },
    { hazard: 'a claim is still held at its deadline', progress: 'never-started', at: 1_000, verdict: FREE },
    {
      hazard: 'an effect that had begun is repeated at the deadline',
      progress: 'in-flight',
      at: 1_000,
      verdict: DOUBT,
    },
    { hazard: 'a finished effect is repeated at the deadline', progress: 'settled', at: 1_000, verdict: DONE },
    { hazard: 'what never began waits for a person', progress: 'never-started', at: 90_000, verdict: FREE },
    { hazard: 'an effect that had begun is repeated later', progress: 'in-flight', at: 90_000, verdict: DOUBT },
    { hazard: 'a finished effect is repeated later', progress: 'settled', at: 90_000, verdict: DONE },
  ])('$hazard', ({ progress, at, verdict }) => {
    expect(recoverClaim(exampleClaim(), progress, instant(at))).toEqual(verdict);
  });

  it('a claim of an earlier boot is held for as long as the new boot clock is lower', () => {
    expect(recoverClaim(exampleClaim(), 'never-started', instant(5, 'boot-2'))).toEqual(FREE);
    expect(recoverClaim(exampleClaim(), 'in-flight', instant(5, 'boot-2'))).toEqual(DOUBT);
    expect(recoverClaim(exampleClaim(), 'settled', instant(5, 'boot-2'))).toEqual(DONE);
  });

  it('the sweep and a new claim judge one claim differently', () => {
    const progresses = fc.constantFrom<EffectProgress>('never-started', 'in-flight', 'settled');
    fc.assert(
      fc.property(progresses, fc.integer({ min: 0, max: 2_000 }), (progress, at) => {
        const swept = recoverClaim(exampleClaim(), progress, instant(at));
        const claimed = claimEffect({
          attempt: exampleAttempt(),
          existing: exampleClaim(),
          progress,
          owner: { deviceId: DESKTOP, hostId: 'host-9', epoch: 5 },
          now: instant(at),
          leaseUntil: instant(9_000),
        });
        expect(swept.kind === 'already-completed' ? 'already-settled' : swept.kind).toBe(claimed.kind);
      }),
    );
  });
});
