/** Three clocks of one machine, read together. Units: milliseconds. */
export interface ClockReading {
  /** Calendar time; can be stepped by a person or by NTP. */
  readonly wallMs: number;
  /** Monotonic time of the process; stands still while some systems sleep. */
  readonly monotonicMs: number;
  /** Time since the machine started, sleep included. */
  readonly bootMs: number;
}

/** A moment on one machine's boot clock. Moments of different boots cannot be compared. */
export interface LeaseInstant {
  readonly bootId: string;
  readonly bootMs: number;
}

/** Two clocks of one machine that differ by more than this (ms) mean a sleep or a step. Protocol section 5, rule 1. */
export const CLOCK_DIVERGENCE_MS = 1_000;

/** What passed between two readings, by the clock that moved furthest. */
export interface SafeElapsed {
  readonly elapsedMs: number;
  /** True when the clocks disagree, so that nobody can say how long it really was. */
  readonly isDoubtful: boolean;
}

/** Never less than the time that really passed, as long as one of the three clocks is right (rule 1). */
export function safeElapsed(from: ClockReading, to: ClockReading): SafeElapsed {
  const bootMs = to.bootMs - from.bootMs;
  const monotonicMs = to.monotonicMs - from.monotonicMs;
  const wallMs = to.wallMs - from.wallMs;
  const furthest = Math.max(bootMs, monotonicMs, wallMs);
  const nearest = Math.min(bootMs, monotonicMs, wallMs);
  const isAgreed = furthest - nearest <= CLOCK_DIVERGENCE_MS;
  // Not `>`: a reading that is not a number agrees with nothing.
  return { elapsedMs: Math.max(0, furthest), isDoubtful: !isAgreed };
}

/** True while `until` lies ahead on the same boot clock. At the moment itself it is over, and so it is after a restart. */
export function isBefore(now: LeaseInstant, until: LeaseInstant): boolean {
  return now.bootId === until.bootId && now.bootMs < until.bootMs;
}
