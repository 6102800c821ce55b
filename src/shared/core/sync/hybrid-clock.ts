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
