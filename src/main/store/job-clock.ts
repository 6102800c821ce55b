import type { ClockReading, LeaseInstant } from '../../shared/core/lease/clock.ts';
import type { HostClock } from '../host/clock.ts';

/**
 * The host's clocks, read once for each job of the write queue: asking the system costs more than a statement does. A job
 * runs in one turn under the database's write lock, so everything in it happens at one moment for everybody else; the
 * journal's counter keeps its entries in order. Outside a job every question goes to the clocks themselves.
 */
export class JobClock implements HostClock {
  readonly #clock: HostClock;
  #isInJob = false;
  #reading: ClockReading | null = null;
  #instant: LeaseInstant | null = null;

  constructor(clock: HostClock) {
    this.#clock = clock;
  }

  /** A job begins. */
  begin(): void {
    this.#isInJob = true;
    this.#reading = null;
    this.#instant = null;
  }

  /** It ended, however it ended. */
  end(): void {
    this.#isInJob = false;
    this.#reading = null;
    this.#instant = null;
  }

  read(): ClockReading {
    if (!this.#isInJob) return this.#clock.read();
    return (this.#reading ??= this.#clock.read());
  }

  instant(): LeaseInstant {
    if (!this.#isInJob) return this.#clock.instant();
    return (this.#instant ??= this.#clock.instant());
  }
}
