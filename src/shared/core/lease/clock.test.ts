import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant, reading } from '../example-facts.ts';
import { CLOCK_DIVERGENCE_MS, isBefore, safeElapsed } from './clock.ts';

describe('how much time has passed', () => {
  it.each([
    { hazard: 'agreeing clocks are doubted', to: reading(5_000), elapsedMs: 5_000, isDoubtful: false },
    {
      hazard: 'the monotonic clock stands still in a sleep and the lease never ends',
      to: reading(60_000, { monotonicMs: 0 }),
      elapsedMs: 60_000,
      isDoubtful: true,
    },
    {
      hazard: 'the boot clock stands still and the lease never ends',
      to: reading(60_000, { bootMs: 50_000 }),
      elapsedMs: 60_000,
      isDoubtful: true,
    },
    {
      hazard: 'a wall clock set back gives time back',
      to: reading(5_000, { wallMs: 0 }),
      elapsedMs: 5_000,
      isDoubtful: true,
    },
    {
      hazard: 'only the wall clock saw the sleep',
      to: reading(5_000, { wallMs: 1_700_000_060_000 }),
      elapsedMs: 60_000,
      isDoubtful: true,
    },
    {
      hazard: 'a difference at the tolerance counts as a sleep',
      to: reading(5_000, { monotonicMs: 5_000 - CLOCK_DIVERGENCE_MS }),
      elapsedMs: 5_000,
      isDoubtful: false,
    },
    {
      hazard: 'a difference above the tolerance is overlooked',
      to: reading(5_000, { monotonicMs: 4_999 - CLOCK_DIVERGENCE_MS }),
      elapsedMs: 5_000,
      isDoubtful: true,
    },
    { hazard: 'clocks that run back give time back', to: reading(-500), elapsedMs: 0, isDoubtful: false },
  ])('$hazard', ({ to, elapsedMs, isDoubtful }) => {
    expect(safeElapsed(reading(0), to)).toEqual({ elapsedMs, isDoubtful });
  });

  it.each(['wallMs', 'monotonicMs', 'bootMs'] as const)('an unreadable %s passes for agreement', (clock) => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      expect(safeElapsed(reading(0), reading(10, { [clock]: value })).isDoubtful).toBe(true);
    }
  });

  it('a lease outlives the true time although one of three clocks is right', () => {
    const errors = fc.tuple(fc.integer({ min: -99_999, max: 0 }), fc.integer({ min: -99_999, max: 0 }));
    fc.assert(
      fc.property(fc.nat(100_000), errors, fc.nat(2), (trueMs, [first, second], right) => {
        const clocks = ['wallMs', 'monotonicMs', 'bootMs'] as const;
        const wrong = [first, second];
        const from = reading(0);
        const to = { ...from };
        for (const [index, clock] of clocks.entries()) {
          to[clock] = from[clock] + trueMs + (index === right ? 0 : (wrong.pop() ?? 0));
        }
        expect(safeElapsed(from, to).elapsedMs).toBe(trueMs);
      }),
    );
  });
});

describe('deadlines on the boot clock', () => {
  it.each([
    { hazard: 'a deadline ahead is over', now: instant(999), isAhead: true },
    { hazard: 'the deadline itself still counts', now: instant(1_000), isAhead: false },
    { hazard: 'a deadline that passed still counts', now: instant(1_001), isAhead: false },
    { hazard: 'a deadline of an earlier boot counts in this one', now: instant(1, 'boot-2'), isAhead: false },
  ])('$hazard', ({ now, isAhead }) => {
    expect(isBefore(now, instant(1_000))).toBe(isAhead);
  });
});
