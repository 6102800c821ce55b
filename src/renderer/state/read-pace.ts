/** An answer that takes longer than this is told to the person, ms: what they see may be old. */
export const OVERDUE_MS = 3_000;
/** How often the window asks whether the host is still there while nothing happens, ms. */
export const HEARTBEAT_MS = 10_000;
/** Up to so long an answer is quick: then the next one is asked for at once, ms. */
const QUICK_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/**
 * How long the same answer is not asked for again after one that took `tookMs`, ms. A host that needs long for it gets at least
 * as long for its own work.
 */
export function pauseAfterMs(tookMs: number): number {
  return tookMs <= QUICK_MS ? 0 : Math.min(LONGEST_PAUSE_MS, tookMs);
}
