import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareFoldPlaces } from './fold-order.ts';
import type { FoldPlace } from './fold-order.ts';

function place(epoch: number, wallMs: number, counter: number, opId = 'm'): FoldPlace {
  return { epoch, time: { wallMs, counter }, opId };
}

describe('the order of the fold', () => {
  it.each([
    { hazard: 'a clock that is ahead puts an earlier holder last', one: place(1, 99, 0), other: place(2, 5, 0) },
    { hazard: 'what one holder wrote is not in the order of its clock', one: place(2, 5, 9), other: place(2, 6, 0) },
    { hazard: 'a burst is not in order', one: place(2, 5, 0), other: place(2, 5, 1) },
    { hazard: 'two devices disagree about a tie', one: place(2, 5, 0, 'a'), other: place(2, 5, 0, 'b') },
  ])('$hazard', ({ one, other }) => {
    expect(compareFoldPlaces(one, other)).toBeLessThan(0);
    expect(compareFoldPlaces(other, one)).toBeGreaterThan(0);
    expect(compareFoldPlaces(one, one)).toBe(0);
  });

  it('is an order: three places go round in a circle', () => {
    const small = fc.integer({ min: 0, max: 2 });
    const places = fc.tuple(small, small, small, fc.constantFrom('a', 'b')).map((each) => place(...each));
    fc.assert(
      fc.property(places, places, places, (one, other, third) => {
        if (compareFoldPlaces(one, other) <= 0 && compareFoldPlaces(other, third) <= 0)
          expect(compareFoldPlaces(one, third)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
