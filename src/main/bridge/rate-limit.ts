/** How many calls a caller may make at once after a pause. A page that reads everything again needs about ten. */
export const CALLS_BURST = 400;
/** How many calls a caller gets back per second. */
const CALLS_PER_SECOND = 200;
/** How many callers are remembered; the one that was quiet longest is forgotten first. */
const CALLERS_MAX = 256;

/** Answers whether one more call of this caller fits. `nowMs` must come from a clock that never goes back. */
export interface RateLimit {
  take(caller: string, nowMs: number): boolean;
}

interface Bucket {
  readonly calls: number;
  readonly atMs: number;
}

/** How many calls a caller may make at once after a pause, and how many it gets back per second. */
export interface CallRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** One bucket of calls per caller, filled at a steady rate. */
export function createRateLimit(rate: CallRate = { burst: CALLS_BURST, perSecond: CALLS_PER_SECOND }): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take(caller, nowMs) {
      const known = buckets.get(caller);
      const earned = known === undefined ? 0 : ((nowMs - known.atMs) / 1_000) * rate.perSecond;
      const calls = known === undefined ? rate.burst : Math.min(rate.burst, known.calls + earned);
      const isFree = calls >= 1;
      // Deleted first, so that the map stays in the order of last use.
      buckets.delete(caller);
      buckets.set(caller, { calls: isFree ? calls - 1 : calls, atMs: nowMs });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= CALLERS_MAX) break;
        buckets.delete(oldest);
      }
      return isFree;
    },
  };
}
