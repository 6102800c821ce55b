import { createHostClock } from '../../src/main/host/clock.ts';
import type { HostClock } from '../../src/main/host/clock.ts';

/** Which start of the machine it is, and what its boot clock showed then. */
export interface Boot {
  /** `null`: the real one. */
  readonly bootId: string | null;
  readonly startedMs: number;
}

/** A client's clocks: the boot clock is the machine's, the other two can be set wrong. */
export interface SteppedClock extends HostClock {
  /** Whole seconds, ms: where the boot clock takes its fraction from the wall clock, that stays right. */
  step(of: { readonly wallMs: number; readonly monotonicMs: number }): void;
}

/**
 * The calendar clock is stepped for the whole process, not only behind the port, so that nobody can go by it unseen. The
 * boot clock stays real, since the processes of one machine share it.
 */
export function createSteppedClock({ bootId, startedMs }: Boot): SteppedClock {
  const real = createHostClock();
  const realNow = Date.now.bind(Date);
  let wallMs = 0;
  let monotonicMs = 0;
  Date.now = () => realNow() + wallMs;
  return {
    ...real,
    read() {
      const reading = real.read();
      return { ...reading, monotonicMs: reading.monotonicMs + monotonicMs, bootMs: reading.bootMs - startedMs };
    },
    instant() {
      const instant = real.instant();
      return { bootId: bootId ?? instant.bootId, bootMs: instant.bootMs - startedMs };
    },
    step(of) {
      wallMs += of.wallMs;
      monotonicMs += of.monotonicMs;
    },
  };
}
