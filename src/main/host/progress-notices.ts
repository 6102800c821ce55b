import type { RunId } from '../../shared/contract/identifiers.ts';
import type { HostPorts } from './ports.ts';

/** The shortest time between two notices about the live text of one run, ms. */
export const PROGRESS_NOTICE_INTERVAL_MS = 250;

/**
 * Tells listeners that a running call has told something: at most every 250 ms for a run, the first at once. Nothing of
 * it is recorded or decided by.
 */
export class ProgressNotices {
  readonly #ports: Pick<HostPorts, 'timers' | 'log'>;
  readonly #listeners = new Set<(runId: RunId) => void>();
  /** Runs that were told about a moment ago; true when there is something new since. */
  readonly #resting = new Map<RunId, boolean>();
  readonly #cancels = new Map<RunId, () => void>();

  constructor(ports: Pick<HostPorts, 'timers' | 'log'>) {
    this.#ports = ports;
  }

  /** Returns the function that ends the subscription. */
  on(listener: (runId: RunId) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A run has something new to show. Never throws: a tool that is on its way calls this. */
  note(runId: RunId): void {
    if (this.#listeners.size === 0) return;
    if (this.#resting.has(runId)) this.#resting.set(runId, true);
    else this.#tell(runId);
  }

  /** Tells nobody anything from now on. */
  close(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
    this.#resting.clear();
    this.#listeners.clear();
  }

  #tell(runId: RunId): void {
    this.#resting.set(runId, false);
    const rest = (): void => {
      const isNew = this.#resting.get(runId) === true;
      this.#resting.delete(runId);
      this.#cancels.delete(runId);
      if (isNew) this.#tell(runId);
    };
    this.#cancels.set(runId, this.#ports.timers.after(PROGRESS_NOTICE_INTERVAL_MS, rest));
    for (const listener of this.#listeners) {
      try {
        listener(runId);
      } catch (cause) {
        // Whoever only looks on must not break the call that is on its way.
        this.#ports.log({ event: 'progress-listener-threw', message: String(cause) });
      }
    }
  }
}
