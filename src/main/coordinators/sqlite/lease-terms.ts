import { CLOCK_DIVERGENCE_MS, isBefore } from '../../../shared/core/lease/clock.ts';
import type { LeaseInstant } from '../../../shared/core/lease/clock.ts';
import { UNKNOWN_BOOT } from '../../host/clock.ts';
import type { HostClock } from '../../host/clock.ts';

/** When a lease was last confirmed and when it runs out, on the clock of the run that `bootId` names. */
export interface LeaseTerm {
  readonly bootId: string;
  readonly renewedMs: number;
  readonly expiresMs: number;
}

/** The clock of a register's leases: the one part in which two registers on SQLite differ. */
export interface LeaseTerms {
  instant(): LeaseInstant;
  /** What is left of a lease, ms; not above 0 when it has run out. */
  remainingMs(term: LeaseTerm, of: { readonly ttlMs: number; readonly now: LeaseInstant }): number;
  /** What to keep of a lease that somebody is told has run out; `null` where the stored term says so by itself. */
  readonly ended: LeaseTerm | null;
}

/**
 * Terms on the machine's boot clock, which all its processes share. After a restart of the machine every earlier holder is
 * gone. Where the boot has no name, a clock that went back says the same; where it has one, only a clock that went back
 * further than clocks disagree anyway.
 */
export function bootTerms(clock: HostClock): LeaseTerms {
  return {
    instant: () => clock.instant(),
    remainingMs(term, { now }) {
      const allowedMs = now.bootId === UNKNOWN_BOOT ? 0 : CLOCK_DIVERGENCE_MS;
      if (now.bootMs < term.renewedMs - allowedMs) return 0;
      return isBefore(now, { bootId: term.bootId, bootMs: term.expiresMs }) ? term.expiresMs - now.bootMs : 0;
    },
    ended: null,
  };
}

/** The name of no run: a lease under it has run out, whoever reads it. */
const OVER = 'over';

/**
 * Terms of a register whose holders are other machines: they outlive a restart of this one. Time is that of this process
 * alone, and a lease that an earlier process left behind counts as renewed when this one began: late, never early. What
 * somebody was told has run out stays so, over a restart too.
 */
export function processTerms(of: { readonly runId: string; readonly nowMs: () => number }): LeaseTerms {
  const { runId, nowMs } = of;
  const beganMs = nowMs();
  return {
    instant: () => ({ bootId: runId, bootMs: nowMs() }),
    remainingMs(term, { ttlMs, now }) {
      if (term.bootId === OVER) return 0;
      const expiresMs = term.bootId === runId ? term.expiresMs : beganMs + ttlMs;
      return expiresMs - now.bootMs;
    },
    ended: { bootId: OVER, renewedMs: 0, expiresMs: 0 },
  };
}
