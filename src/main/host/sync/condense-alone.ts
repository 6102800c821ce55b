import { readJournalHeads } from '../../store/foreign-journals.ts';
import type { HostTimers } from '../timers.ts';
import { condenseAll } from './condensing.ts';
import type { CondensingOptions } from './condensing.ts';
import { haveOf } from './known-journals.ts';

/** How soon after a start it is looked first, ms: a window is to be there before. */
const FIRST_LOOK_MS = 60_000;

interface AloneOptions extends Omit<CondensingOptions, 'registerView'> {
  readonly timers: HostTimers;
  /** Whether this device shares its record, or the right to act: then others write about the same runs. */
  readonly isShared: () => boolean;
}

/**
 * Condenses the record of a device that never shared anything: there is nobody who might still need its entries or write
 * about the same runs. One that has entries of others, and shares nothing at the moment, may meet them again and keeps
 * everything.
 */
export class CondenseAlone {
  readonly #of: AloneOptions;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(of: AloneOptions) {
    this.#of = of;
  }

  start(): void {
    this.#schedule(Math.min(FIRST_LOOK_MS, this.#of.terms.lookEveryMs));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#of.timers.after(delayMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { store, terms, awaited, isShared, log } = this.#of;
    const connection = store.connection();
    if (connection !== null && !isShared() && readJournalHeads(connection.db).length === 0) {
      const { retentionMs } = terms;
      const done = await condenseAll({ store, cut: haveOf(connection), retentionMs, awaited, agentIds: null });
      if (!done.ok) log({ event: 'not-condensed', code: done.error.code, message: done.error.message });
    }
    this.#schedule(terms.lookEveryMs);
  }
}
