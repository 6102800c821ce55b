import { performance } from 'node:perf_hooks';

/** What comes later in this process. The simulator brings timers of its own, and so decides what happens when. */
export interface HostTimers {
  /** The monotonic clock alone, ms: for how long something took, never for a deadline. */
  nowMs(): number;
  /** Calls `act` once, not before `delayMs` have passed. What is returned takes it back. */
  after(delayMs: number, act: () => void): () => void;
  /** Calls `act` when this turn of the event loop is over: whatever arrives in one turn is written together. */
  soon(act: () => void): void;
}

/** The timers of the process. */
export function createHostTimers(): HostTimers {
  return {
    nowMs: () => performance.now(),
    after(delayMs, act) {
      const timer = setTimeout(act, delayMs);
      return () => clearTimeout(timer);
    },
    soon: (act) => void setImmediate(act),
  };
}

/** Resolves once so many ms have passed. */
export function sleep(timers: HostTimers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve));
}
