import type { Problem } from '../../../shared/contract/errors.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { EventKind } from '../../../shared/contract/events.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay, RelayState } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import { projectStale, staleCount } from '../../store/stale-groups.ts';
import type { Store } from '../../store/store.ts';
import { Signal } from '../signal.ts';
import type { HostTimers } from '../timers.ts';
import { haveOf, missing, quarantinedUpTo } from './known-journals.ts';
import { outgoingOf, readOwnRows, sealAll, signRows } from './own-journal.ts';
import type { JournalSigner } from './own-journal.ts';
import { isKeyOnItsWay, notUnderstood, storeProblem, wentBackProblem } from './pump-problems.ts';
import { openJournal, quarantine, refusalOf, takeIn } from './take-in.ts';
import type { QuarantineReason } from './take-in.ts';

/** How often it is looked, ms, where the relay does not tell of news; and at the most where it does. */
const LOOK_EVERY_MS = 2_000;
/** How soon after a change of this device its entries are handed over, ms: what happens together travels together. */
const GATHER_MS = 100;
/** Entries of one push, and of one write when they come in: a window stays alive between two writes. */
const PUSH_OPERATIONS = 500;
const FOLD_OPERATIONS = 250;
/** With more than so many entries to come, they are first taken in and projected when all are here. */
const CATCH_UP_OPERATIONS = 2_000;
const ROTATION: EventKind = 'sync.keys-rotated';
/** Groups that are projected in one write after that. */
const PROJECT_GROUPS = 20;

/** How it stands with one relay. */
export interface PumpStatus {
  /** Wall ms of the last pass that went through; `null` before the first. */
  readonly syncedAtMs: number | null;
  /** What the last pass ended with, if it did not go through. */
  readonly problem: Problem | null;
  /** The last entry of this device that the relay holds. */
  readonly pushedSeq: number;
  readonly relay: RelayState | null;
  /** Set while many entries come in at once. */
  readonly catchUp: { readonly done: number; readonly total: number } | null;
}

export interface PumpOptions {
  readonly store: Store;
  readonly relay: Relay;
  readonly ring: () => KeyRing;
  /** The epoch of the key that an entry of this device is sealed with. */
  readonly keyEpochOf: (seq: number) => number;
  /** Takes the key of a rotation in, before anything after it is opened. */
  readonly acceptKeys: (payload: string) => Promise<Result<null, Problem>>;
  /** The relay holds this device's entries up to there. */
  readonly pushed: (seq: number, heads: Frontier) => Promise<void>;
  readonly signer: JournalSigner;
  readonly timers: HostTimers;
  readonly wallMs: () => number;
  readonly log: (line: { event: string; code?: string; message?: string }) => void;
}

/**
 * The tenth word: hands this device's entries over to a relay, takes the entries of others in, and says what it has. One pass
 * at a time; each can be broken off anywhere and begun anew. Nothing is acknowledged that is not durable here.
 */
export class JournalPump {
  readonly #of: PumpOptions;
  readonly changed = new Signal();
  #status: PumpStatus = { syncedAtMs: null, problem: null, pushedSeq: 0, relay: null, catchUp: null };
  /** The last entry that was handed over, and its place in the record: the next one stands behind it. */
  #pushedUpTo = 0;
  #ownFromSeq = 0;
  #passing: Promise<void> | null = null;
  #wantsPass = false;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;
  readonly #ends: (() => void)[] = [];

  constructor(of: PumpOptions) {
    this.#of = of;
  }

  start(): void {
    const { store, relay } = this.#of;
    const soon = (): void => this.#schedule(GATHER_MS);
    this.#ends.push(store.onCommit(soon));
    const end = relay.onChange?.(() => this.wake());
    if (end !== undefined) this.#ends.push(end);
    this.wake();
  }

  status(): PumpStatus {
    return this.#status;
  }

  /** Whether entries were taken in that are not projected yet: nothing may act on such a record. */
  isCatchingUp(): boolean {
    const connection = this.#of.store.connection();
    return this.#status.catchUp !== null || (connection !== null && staleCount(connection.db) > 0);
  }

  /** Looks now. */
  wake(): void {
    this.#schedule(0);
  }

  /** Resolves after a pass that began after this call. */
  async passNow(): Promise<Result<null, Problem>> {
    await this.#passing;
    this.#passing = this.#run();
    await this.#passing;
    return this.#status.problem === null ? ok(null) : err(this.#status.problem);
  }

  /** Nothing is kept on the relay for a device any more. */
  async letGo(deviceId: DeviceId): Promise<Result<null, Problem>> {
    this.wake();
    return await this.#of.relay.letGo(deviceId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    for (const end of this.#ends.splice(0)) end();
    await this.#passing;
    await this.#of.relay.close();
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    if (this.#passing !== null) {
      this.#wantsPass = true;
      return;
    }
    this.#cancelTimer();
    this.#cancelTimer = this.#of.timers.after(delayMs, () => {
      this.#passing ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#wantsPass = false;
    try {
      const passed = await this.#pass();
      const syncedAtMs = passed.ok ? this.#of.wallMs() : this.#status.syncedAtMs;
      this.#note({ syncedAtMs, problem: passed.ok ? null : passed.error });
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      this.#of.log({ event: 'sync-failed', message });
      this.#note({ problem: problem('internal', `Something inside the exchange of journals went wrong: ${message}`) });
    }
    this.#passing = null;
    this.#schedule(this.#wantsPass ? GATHER_MS : LOOK_EVERY_MS);
  }

  #note(news: Partial<PumpStatus>): void {
    const before = this.#status;
    this.#status = { ...before, ...news };
    const isOther = before.problem?.code !== this.#status.problem?.code || before.catchUp !== this.#status.catchUp;
    if (isOther || news.relay !== undefined) this.changed.tell();
  }

  async #pass(): Promise<Result<null, Problem>> {
    const { relay, store } = this.#of;
    const state = await relay.contact();
    if (!state.ok) return state;
    this.#note({ relay: state.value });
    const pushed = await this.#push(state.value.heads);
    if (!pushed.ok) return pushed;
    await this.#of.pushed(this.#status.pushedSeq, state.value.heads);
    const pulled = await this.#pull(state.value.heads);
    if (!pulled.ok) return pulled;
    await this.#projectStale();
    const connection = store.connection();
    if (connection === null) return err(storeProblem());
    return await relay.acknowledge(haveOf(connection));
  }

  async #push(heads: Frontier): Promise<Result<null, Problem>> {
    const { store, relay, signer, ring, keyEpochOf } = this.#of;
    // From where the relay stands: what a folder has lost is handed over once more.
    let after = knownUpTo(heads, store.connection()?.journal.deviceId ?? '');
    for (;;) {
      const connection = store.connection();
      if (connection === null) return err(storeProblem());
      const { head } = connection.journal;
      if (after > head.journalSeq) return err(wentBackProblem(after, head.journalSeq));
      const rows = readOwnRows(connection, {
        after,
        fromSeq: after >= this.#pushedUpTo ? this.#ownFromSeq : 0,
        limit: PUSH_OPERATIONS,
      });
      const last = rows.at(-1);
      if (last === undefined) {
        this.#note({ pushedSeq: after });
        return ok(null);
      }
      const signed = await store.write((within) => signRows(within, rows, signer));
      if (!signed.ok) return signed;
      const sealed = sealAll(ring(), outgoingOf(connection, rows, signer), keyEpochOf);
      if (!sealed.ok) return sealed;
      const pushed = await relay.push(sealed.value);
      if (!pushed.ok) return pushed;
      after = sealed.value.at(-1)?.seq ?? after;
      this.#ownFromSeq = rows.find((row) => row.journal_seq === after)?.seq ?? this.#ownFromSeq;
      this.#pushedUpTo = after;
      this.#note({ pushedSeq: after });
    }
  }

  async #pull(heads: Frontier): Promise<Result<null, Problem>> {
    const { store, relay } = this.#of;
    let done = 0;
    for (;;) {
      const connection = store.connection();
      if (connection === null) return err(storeProblem());
      const have = { ...haveOf(connection), ...quarantinedUpTo(connection, heads) };
      const total = done + missing(have, heads);
      const isLater = this.#status.catchUp !== null || total - done > CATCH_UP_OPERATIONS;
      if (isLater) this.#note({ catchUp: { done, total } });
      const pulled = await relay.pull(have);
      if (!pulled.ok) return pulled;
      const { operations, isMore } = pulled.value;
      const count = await this.#takeAllIn(operations, isLater);
      if (!count.ok) return count;
      done += count.value;
      if (!isMore || count.value === 0) return ok(null);
    }
  }

  async #takeAllIn(operations: readonly SealedOperation[], isLater: boolean): Promise<Result<number, Problem>> {
    let count = 0;
    for (const [deviceId, sealed] of Map.groupBy(operations, (operation) => operation.deviceId)) {
      const connection = this.#of.store.connection();
      if (connection === null) return err(storeProblem());
      if (deviceId === connection.journal.deviceId) continue;
      const head = readJournalHead(connection.db, deviceId);
      const news = sealed.filter((operation) => operation.seq > head.seq);
      const taken = await this.#takeIn(deviceId, { sealed: news, prevHash: head.opId, isLater });
      if (!taken.ok) return taken;
      count += taken.value;
    }
    if (count > 0) this.changed.tell();
    return ok(count);
  }

  async #takeIn(
    deviceId: DeviceId,
    of: { readonly sealed: readonly SealedOperation[]; readonly prevHash: string; readonly isLater: boolean },
  ): Promise<Result<number, Problem>> {
    const { store, ring, wallMs } = this.#of;
    let { prevHash } = of;
    let count = 0;
    for (let from = 0; from < of.sealed.length;) {
      // As many as one write takes, and more only where none of them is signed.
      let part = openJournal(ring(), deviceId, { sealed: of.sealed.slice(from, from + FOLD_OPERATIONS), prevHash });
      if (part.opened.operations.length === 0)
        part = openJournal(ring(), deviceId, { sealed: of.sealed.slice(from), prevHash });
      const { opened } = part;
      if (opened.operations.length === 0) {
        if (part.reason !== null && !isKeyOnItsWay(part.reason)) await this.#putAside(deviceId, part.reason);
        break;
      }
      const written = await store.write((connection) => {
        const refused = refusalOf(connection, opened, wallMs());
        return refused === null ? takeIn(connection, opened, of.isLater) : { count: 0, reason: refused };
      });
      const reason = written.ok ? written.value.reason : notUnderstood(opened.operations[0]?.seq ?? 0, written.error);
      // A record that cannot be written is no fault of the other device.
      if (reason === null && !written.ok) return written;
      if (written.ok) count += written.value.count;
      if (reason !== null) {
        await this.#putAside(deviceId, reason);
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

  async #putAside(deviceId: DeviceId, reason: QuarantineReason): Promise<void> {
    const nowMs = this.#of.wallMs();
    await this.#of.store.write((connection) => quarantine(connection, deviceId, { reason, nowMs }));
    this.#of.log({ event: 'journal-put-aside', code: reason.kind });
    this.changed.tell();
  }

  async #projectStale(): Promise<void> {
    const { store } = this.#of;
    for (;;) {
      const connection = store.connection();
      if (connection === null || this.#isClosed) return;
      if (staleCount(connection.db) === 0) break;
      const left = await store.write(({ db }) => projectStale(db, PROJECT_GROUPS));
      if (!left.ok) return;
    }
    if (this.#status.catchUp !== null) this.#note({ catchUp: null });
  }
}
