/** A moment that orders operations of several devices: calendar time, made unique by a counter and the device. */
export interface HybridTime {
  readonly wallMs: number;
  readonly counter: number;
}

/** The next stamp: above everything issued or seen, under clock regression and bursts (protocol section 7). */
export function tickHybridTime(last: HybridTime, wallMs: number): HybridTime {
  if (wallMs > last.wallMs) return { wallMs, counter: 0 };
  return { wallMs: last.wallMs, counter: last.counter + 1 };
}

/** How far ahead of this device's calendar an operation may claim to be, ms; beyond it the clock there is wrong. */
export const CLOCK_AHEAD_LIMIT_MS = 24 * 3_600_000;

/** The later of two stamps: what a device goes on from after it has seen both. */
export function laterHybridTime(one: HybridTime, other: HybridTime): HybridTime {
  if (one.wallMs !== other.wallMs) return one.wallMs > other.wallMs ? one : other;
  return one.counter >= other.counter ? one : other;
}
