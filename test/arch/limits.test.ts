import { describe, expect, it } from 'vitest';
import { SUITE_LIMIT_MS, suiteLimitMs } from '../../scripts/limits.mjs';
import { SOAK_MINUTES } from '../soak/soak-minutes.ts';

const REST_MS = 10 * 60_000;

describe('a suite that takes as long as it was told to', () => {
  it.each(['perCommit', 'perNight'] as const)('is ended as one that hangs: the soak, %s', (size) => {
    expect(SOAK_MINUTES[size] * 60_000 + REST_MS).toBeLessThan(SUITE_LIMIT_MS[size]);
  });

  // A machine at half the speed has made of its 26 minutes more than 40.
  it('is ended for what the others took of the processors', () => {
    const before = process.env['FENCEPOST_NIGHTLY'];
    delete process.env['FENCEPOST_NIGHTLY'];
    try {
      expect(suiteLimitMs({ isBeside: true })).toBeGreaterThan(suiteLimitMs({ isBeside: false }));
    } finally {
      if (before !== undefined) process.env['FENCEPOST_NIGHTLY'] = before;
    }
  });

  it('is ended at night by the limit of a commit', () => {
    const before = process.env['FENCEPOST_NIGHTLY'];
    try {
      process.env['FENCEPOST_NIGHTLY'] = '1';
      for (const isBeside of [false, true]) expect(suiteLimitMs({ isBeside })).toBe(SUITE_LIMIT_MS.perNight);
      delete process.env['FENCEPOST_NIGHTLY'];
      expect(suiteLimitMs()).toBe(SUITE_LIMIT_MS.perCommit);
    } finally {
      if (before !== undefined) process.env['FENCEPOST_NIGHTLY'] = before;
    }
  });
});
