import type { RunRecord } from '../store/rows.ts';
import type { HostClock } from './clock.ts';

/** Tells when a durable wait of a run is over. */
export class WaitClock {
  readonly #clock: HostClock;
  readonly #sinceMs = new Map<string, number>();

  constructor(clock: HostClock) {
    this.#clock = clock;
  }

  /**
   * By the calendar, which a restart survives; or once this process has waited for the whole time itself, since a calendar
   * that was set back by years must not make a short wait last for years.
   */
  isOver(run: RunRecord, forMs: number): boolean {
    const { wallMs, monotonicMs } = this.#clock.read();
    const place = `${run.run_id} ${run.state_id} ${run.state_visit} ${run.wait_until_ms}`;
    const sinceMs = this.#sinceMs.get(place) ?? monotonicMs;
    const isOver = wallMs >= (run.wait_until_ms ?? 0) || monotonicMs - sinceMs >= forMs;
    if (isOver) this.#sinceMs.delete(place);
    else this.#sinceMs.set(place, sinceMs);
    return isOver;
  }
}
