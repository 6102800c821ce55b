import type { EventKind } from '../../../shared/contract/events.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import type { Store } from '../../store/store.ts';
import { haveOf, missing, quarantinedUpTo } from './known-journals.ts';
import { isKeyOnItsWay, notUnderstood, storeProblem } from './pump-problems.ts';
import { openJournal, quarantine, refusalOf, takeIn } from './take-in.ts';
import type { OpenedOperations, QuarantineReason, TakenIn } from './take-in.ts';

/** Entries of one write when they come in: a window stays alive between two writes. */
const FOLD_OPERATIONS = 250;
/** The same where they are only taken in: each write waits for the disk, and a disk may be slow. */
const CATCH_UP_FOLD_OPERATIONS = 1_000;
/** With more than so many entries to come, they are first taken in and projected when all are here. */
const CATCH_UP_OPERATIONS = 2_000;
/** Journals of which one pass leaves something for the next; with more it ends there. */
const WAITING_LIMIT = 256;
const ROTATION: EventKind = 'sync.keys-rotated';

/** How many of the entries that come in at once are here. */
export interface CatchUp {
  readonly done: number;
  readonly total: number;
}

interface PullPassOptions {
  readonly store: Store;
  readonly relay: Relay;
  readonly ring: () => KeyRing;
  readonly acceptKeys: (payload: string) => Promise<Result<null, Problem>>;
  readonly wallMs: () => number;
  readonly log: (line: { event: string; code?: string; message?: string }) => void;
  /** What an earlier pass was in the middle of. */
  readonly catchUp: CatchUp | null;
  readonly caughtUp: (catchUp: CatchUp) => void;
  /** Something was taken in or put aside. */
  readonly changed: () => void;
}

/** Takes in once what a relay holds of other devices. What is wrong with one journal keeps no other one back. */
export class PullPass {
  readonly #of: PullPassOptions;
  /** Journals of which more is there than can be read now: a key has to come first, or a signature. */
  readonly #waiting = new Set<string>();
  #isLater: boolean;

  constructor(of: PullPassOptions) {
    this.#of = of;
    this.#isLater = of.catchUp !== null;
  }

  async pull(heads: Frontier): Promise<Result<{ readonly count: number; readonly isWaiting: boolean }, Problem>> {
    const { store, relay, caughtUp } = this.#of;
    for (let done = 0; ;) {
      const connection = store.connection();
      if (connection === null) return err(storeProblem());
      // Neither is asked for again, or they would fill every page.
      const waiting = [...this.#waiting].map((deviceId) => [deviceId, knownUpTo(heads, deviceId)] as const);
      const passedOver: Frontier = { ...quarantinedUpTo(connection, heads), ...Object.fromEntries(waiting) };
      const have = { ...haveOf(connection), ...passedOver };
      const total = done + missing(have, heads);
      this.#isLater ||= total - done > CATCH_UP_OPERATIONS;
      if (this.#isLater) caughtUp({ done, total });
      const pulled = await relay.pull(have);
      if (!pulled.ok) return pulled;
      const { operations, isMore } = pulled.value;
      const news = operations.filter(({ deviceId }) => !Object.hasOwn(passedOver, deviceId));
      const count = await this.#takeAllIn(news);
      if (!count.ok) return count;
      done += count.value;
      // A page of which nothing could be read is not asked for again: the next may have the key.
      if (count.value === 0) for (const { deviceId } of news) this.#waiting.add(deviceId);
      const isStuck = news.length === 0 || this.#waiting.size > WAITING_LIMIT;
      if (!isMore || isStuck)
        return ok({ count: done, isWaiting: this.#waiting.size > 0 || count.value < news.length });
    }
  }

  async #takeAllIn(operations: readonly SealedOperation[]): Promise<Result<number, Problem>> {
    let count = 0;
    for (const [deviceId, sealed] of Map.groupBy(operations, (operation) => operation.deviceId)) {
      const connection = this.#of.store.connection();
      if (connection === null) return err(storeProblem());
      if (deviceId === connection.journal.deviceId) continue;
      const head = readJournalHead(connection.db, deviceId);
      const news = sealed.filter((operation) => operation.seq > head.seq);
      const taken = await this.#takeJournalIn(deviceId, { sealed: news, prevHash: head.opId });
      if (!taken.ok) return taken;
      count += taken.value;
    }
    if (count > 0) this.#of.changed();
    return ok(count);
  }

  async #takeJournalIn(
    deviceId: DeviceId,
    of: { readonly sealed: readonly SealedOperation[]; readonly prevHash: string },
  ): Promise<Result<number, Problem>> {
    const { ring } = this.#of;
    const atOnce = this.#isLater ? CATCH_UP_FOLD_OPERATIONS : FOLD_OPERATIONS;
    let { prevHash } = of;
    let count = 0;
    for (let from = 0; from < of.sealed.length;) {
      // As many as one write takes, and more only where none of them is signed.
      let part = openJournal(ring(), deviceId, { sealed: of.sealed.slice(from, from + atOnce), prevHash });
      if (part.opened.operations.length === 0)
        part = openJournal(ring(), deviceId, { sealed: of.sealed.slice(from), prevHash });
      const { opened } = part;
      if (opened.operations.length === 0) {
        if (part.reason !== null && !isKeyOnItsWay(part.reason)) await this.#putAside(deviceId, part.reason);
        break;
      }
      const written = await this.#write(opened);
      // A record that cannot be written is no fault of the other device.
      if (!written.ok) return written;
      count += written.value.count;
      if (written.value.reason !== null) {
        await this.#putAside(deviceId, written.value.reason);
        break;
      }
      for (const operation of opened.operations) {
        const kept = operation.kind === ROTATION ? await this.#of.acceptKeys(operation.payload) : ok(null);
        if (!kept.ok) return kept;
      }
      from += opened.operations.length;
      prevHash = opened.operations.at(-1)?.opId ?? prevHash;
    }
    return ok(count);
  }

  async #write(opened: OpenedOperations): Promise<Result<TakenIn, Problem>> {
    const { store, wallMs } = this.#of;
    const attempt = (isSingly: boolean) =>
      store.write((connection) => {
        const refused = refusalOf(connection, opened, wallMs());
        if (refused !== null) return { count: 0, reason: refused };
        return takeIn(connection, opened, { isLater: this.#isLater, isSingly });
      });
    const written = await attempt(false);
    if (written.ok || written.error.code !== 'internal') return written;
    // The code itself stumbled: over which of them is seen one by one.
    const singly = await attempt(true);
    const reason = singly.ok ? null : notUnderstood(opened.operations[0]?.seq ?? 0, singly.error);
    return reason === null ? singly : ok({ count: 0, reason });
  }

  async #putAside(deviceId: DeviceId, reason: QuarantineReason): Promise<void> {
    const { store, wallMs, log, changed } = this.#of;
    const nowMs = wallMs();
    await store.write((connection) => quarantine(connection, deviceId, { reason, nowMs }));
    log({ event: 'journal-put-aside', code: reason.kind });
    changed();
  }
}
