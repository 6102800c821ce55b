import { describe, expect, it } from 'vitest';
import { DESKTOP, exampleEntry, LAPTOP } from '../example-facts.ts';
import { hasLostOwnPart } from './tail.ts';

describe('what a register knows of a journal', () => {
  const own = { deviceId: LAPTOP, ownSeq: 7 };
  const settledAt = (seq: number, deviceId = LAPTOP) =>
    exampleEntry({ deviceId, status: 'committed', opId: 'op', seq });

  it('is more than its own record holds, and nobody notices', () => {
    expect(hasLostOwnPart({ tail: [settledAt(8)], frontier: {} }, own)).toBe(true);
    expect(hasLostOwnPart({ tail: [], frontier: { [LAPTOP]: 8 } }, own)).toBe(true);
  });

  it('is taken for a loss where it is of another device, as much as is held here, or not settled yet', () => {
    const tail = [settledAt(7), settledAt(9, DESKTOP), exampleEntry()];
    expect(hasLostOwnPart({ tail, frontier: { [LAPTOP]: 7, [DESKTOP]: 9 } }, own)).toBe(false);
    expect(hasLostOwnPart({ tail: [], frontier: {} }, own)).toBe(false);
  });
});
