import { describe, expect, it } from 'vitest';
import { shouldStayAwake } from './awake-rule.ts';

const facts = { isWanted: true, inFlight: 1, isOnBattery: false, batteryPercent: null };

describe('a device that is kept awake', () => {
  it('sleeps as it likes unless somebody wants it otherwise', () => {
    expect(shouldStayAwake({ ...facts, isWanted: false })).toBe(false);
  });

  it('is so only while something is on its way from it', () => {
    expect(shouldStayAwake(facts)).toBe(true);
    expect(shouldStayAwake({ ...facts, inFlight: 0 })).toBe(false);
  });

  it.each([
    [9, false],
    [10, true],
    [null, false],
  ])('does not run its battery down: %s percent', (batteryPercent, isAwake) => {
    expect(shouldStayAwake({ ...facts, isOnBattery: true, batteryPercent })).toBe(isAwake);
  });
});
