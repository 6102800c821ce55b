import { createHostClock } from '../clock.ts';
import type { HostClock } from '../clock.ts';

/** How often time goes on, ms, and by how much at most. */
const TICK_MS = 5;
const LONGEST_TICK_MS = 25;

const real = createHostClock();
const begun = real.read();
const { bootId } = real.instant();
let passedMs = 0;
let seenMs = performance.now();

setInterval(() => {
  const nowMs = performance.now();
  passedMs += Math.min(nowMs - seenMs, LONGEST_TICK_MS);
  seenMs = nowMs;
}, TICK_MS).unref();

/**
 * The clocks of this machine for as long as this process gets to run. Devices, registers and tests in one process share one
 * event loop; where that stands still, on a busy machine, hardly any time passes for any of them. So a lease never runs out
 * because a machine is slow: only a test makes it, on purpose.
 */
export const steadyClock: HostClock = {
  read: () => ({
    wallMs: Math.floor(begun.wallMs + passedMs),
    monotonicMs: begun.monotonicMs + passedMs,
    bootMs: begun.bootMs + passedMs,
  }),
  instant: () => ({ bootId, bootMs: begun.bootMs + passedMs }),
};
