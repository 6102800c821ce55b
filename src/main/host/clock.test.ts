import { describe, expect, it } from 'vitest';
import { safeElapsed } from '../../shared/core/lease/clock.ts';
import { createHostClock, UNKNOWN_BOOT } from './clock.ts';

describe('the clocks of this machine', () => {
  it('agree with each other finely enough that no lease is doubted without a reason', async () => {
    const clock = createHostClock();
    const from = clock.read();
    for (let look = 0; look < 20; look++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const to = clock.read();
      const elapsed = safeElapsed(from, to);
      expect(elapsed.isDoubtful).toBe(false);
      expect(Math.abs(to.bootMs - from.bootMs - (to.monotonicMs - from.monotonicMs))).toBeLessThan(100);
    }
  });

  it('never tell an earlier boot time than before, and tell the same to every reader', () => {
    const [one, other] = [createHostClock(), createHostClock()];
    let last = 0;
    for (let look = 0; look < 200; look++) {
      const { bootId, bootMs } = (look % 2 === 0 ? one : other).instant();
      expect(bootMs).toBeGreaterThanOrEqual(last);
      expect(bootId).toBe(one.instant().bootId);
      last = bootMs;
    }
  });

  it.runIf(['linux', 'darwin', 'win32'].includes(process.platform))('know the name of the boot here', () => {
    expect(createHostClock().instant().bootId).not.toBe(UNKNOWN_BOOT);
    expect(createHostClock().instant().bootId).toMatch(/^[\w-]{3,}$/u);
  });
});
