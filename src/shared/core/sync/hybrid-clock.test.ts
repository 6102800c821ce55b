import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laterHybridTime, tickHybridTime } from './hybrid-clock.ts';
import type { HybridTime } from './hybrid-clock.ts';

const LAST: HybridTime = { wallMs: 1_000, counter: 3 };

function isAbove(one: HybridTime, other: HybridTime): boolean {
  return one.wallMs > other.wallMs || (one.wallMs === other.wallMs && one.counter > other.counter);
}

describe('the next stamp', () => {
  it.each([
    { hazard: 'the counter grows for ever', wallMs: 1_001, next: { wallMs: 1_001, counter: 0 } },
    { hazard: 'two operations of one millisecond tie', wallMs: 1_000, next: { wallMs: 1_000, counter: 4 } },
    { hazard: 'a clock set back orders new before old', wallMs: 5, next: { wallMs: 1_000, counter: 4 } },
    { hazard: 'a clock that cannot be read spoils the order', wallMs: Number.NaN, next: { wallMs: 1_000, counter: 4 } },
  ])('$hazard', ({ wallMs, next }) => {
    expect(tickHybridTime(LAST, wallMs)).toEqual(next);
  });

  it('a stamp is not above everything issued before', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(50), fc.integer())), (clock) => {
        let last: HybridTime = { wallMs: 0, counter: 0 };
        for (const wallMs of clock) {
          const next = tickHybridTime(last, wallMs);
          expect(isAbove(next, last)).toBe(true);
          last = next;
        }
      }),
    );
  });
});

describe('the later of two stamps', () => {
  it.each([
    { hazard: 'an earlier time wins', other: { wallMs: 999, counter: 9 }, later: LAST },
    { hazard: 'a later time loses', other: { wallMs: 1_001, counter: 0 }, later: { wallMs: 1_001, counter: 0 } },
    { hazard: 'a lower count wins', other: { wallMs: 1_000, counter: 2 }, later: LAST },
    { hazard: 'a higher count loses', other: { wallMs: 1_000, counter: 4 }, later: { wallMs: 1_000, counter: 4 } },
  ])('$hazard', ({ other, later }) => {
    expect(laterHybridTime(LAST, other)).toEqual(later);
    expect(laterHybridTime(other, LAST)).toEqual(later);
  });
});
