import type { Problem } from '../../../shared/contract/errors.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay, RelayState } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { projectStale, staleCount } from '../../store/stale-groups.ts';
import type { Store } from '../../store/store.ts';
import { Signal } from '../signal.ts';
import type { HostTimers } from '../timers.ts';
import type { Condensing } from './condensing.ts';
import { haveOf } from './known-journals.ts';
import { checkOwnHead } from './own-head.ts';
import { outgoingOf, readOwnRows, sealAll, signRows } from './own-journal.ts';
import type { JournalSigner } from './own-journal.ts';
import { PastStory } from './past-story.ts';
import { PullPass } from './pull-pass.ts';
import type { CatchUp } from './pull-pass.ts';
import { notWorkedIn, storeProblem, wentBackProblem } from './pump-problems.ts';

/** How often it is looked, ms, where the relay does not tell of news; and at the most where it does. */
const LOOK_EVERY_MS = 2_000;
/** How soon after a change of this device its entries are handed over, ms: what happens together travels together. */
const GATHER_MS = 100;
/** Entries of one push: a window stays alive between two. */
const PUSH_OPERATIONS = 500;
/** Groups that are projected in one write after that. */
const PROJECT_GROUPS = 40;

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
  readonly catchUp: CatchUp | null;
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
  /** `null`: nothing is condensed, and no checkpoint is made or taken. */
  readonly condensing: Condensing | null;
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
  /** Up to where what the relay holds of this device was seen to be its own. */
  #agreedUpTo = 0;
  /** What this profile wrote as the device it was before. */
  readonly #past: PastStory;
  #ownFromSeq = 0;
  #passing: Promise<void> | null = null;
  /** The pass that somebody waits for and that has not begun. */
  #next: Promise<void> | null = null;
  #wantsPass = false;
  #isClosed = false;
  #cancelTimer: () => void = () => undefined;
  readonly #ends: (() => void)[] = [];

  constructor(of: PumpOptions) {
    this.#of = of;
    this.#past = new PastStory(of);
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

  /** Resolves after a pass that began after this call; whoever waits at the same time waits for the same one. */
  async passNow(): Promise<Result<null, Problem>> {
    this.#next ??= this.#passNext();
    await this.#next;
    return this.#status.problem === null ? ok(null) : err(this.#status.problem);
  }

  async #passNext(): Promise<void> {
    await this.#passing;
    this.#next = null;
    this.#passing = this.#run();
    await this.#passing;
  }

  /** What was put aside is looked at again: what this profile told before, too. */
  async tryAgain(): Promise<Result<null, Problem>> {
    this.#past.forget();
    return await this.passNow();
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
    const pushed = await this.#push(state.value);
    // A place that is full still has what the others put there.
    if (!pushed.ok && pushed.error.code !== 'relay-full') return pushed;
    if (pushed.ok) await this.#of.pushed(this.#status.pushedSeq, state.value.heads);
    const checked = await this.#past.check(state.value);
    if (!checked.ok) return checked;
    const pulled = await this.#pullOrBegin(state.value);
    if (!pulled.ok) return pulled;
    const projected = await this.#projectStale();
    if (!projected.ok) return projected;
    const connection = store.connection();
    if (connection === null) return err(storeProblem());
    const acknowledged = await relay.acknowledge(haveOf(connection));
    if (acknowledged.ok && pushed.ok) await this.#condense();
    return pushed.ok ? acknowledged : pushed;
  }

  /** What goes wrong with it keeps nothing else back. */
  async #condense(): Promise<void> {
    const { condensing, timers, log } = this.#of;
    const done = await condensing?.pass(timers.nowMs());
    if (done?.ok === false) log({ event: 'not-condensed', code: done.error.code, message: done.error.message });
  }

  async #push(state: RelayState): Promise<Result<null, Problem>> {
    const { store, relay, signer, ring, keyEpochOf, condensing } = this.#of;
    // From where the relay stands: what a folder has lost is handed over once more.
    let after = knownUpTo(state.heads, store.connection()?.journal.deviceId ?? '');
    const isFollowed = await this.#checkOwnHead(state, after);
    if (!isFollowed.ok) return isFollowed;
    const bridged = (await condensing?.handOwnGap(state, after)) ?? ok(after);
    if (!bridged.ok) return bridged;
    // With the next pass, when more is known here.
    if (bridged.value === null) return ok(null);
    after = bridged.value;
    for (;;) {
      const connection = store.connection();
      if (connection === null) return err(storeProblem());
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
      this.#agreedUpTo = after;
      this.#note({ pushedSeq: after });
    }
  }

  /** Only where the relay holds something else than what was handed over last: after a start, or by somebody else. */
  async #checkOwnHead(state: RelayState, seq: number): Promise<Result<null, Problem>> {
    const { store, relay, ring } = this.#of;
    const connection = store.connection();
    if (connection === null) return err(storeProblem());
    const ownSeq = connection.journal.head.journalSeq;
    if (seq > ownSeq) return err(wentBackProblem(seq, ownSeq));
    if (seq === this.#agreedUpTo) return ok(null);
    const checked = await checkOwnHead(relay, connection, { state, seq, ring: ring() });
    if (checked.ok) this.#agreedUpTo = seq;
    return checked;
  }

  async #pullOrBegin(state: RelayState): Promise<Result<null, Problem>> {
    const pulled = await this.#pull(state.heads);
    const isGone = !pulled.ok && pulled.error.code === 'relay-truncated';
    const begun = isGone ? await this.#of.condensing?.begin(state) : undefined;
    if (begun === undefined) return pulled;
    return begun.ok ? await this.#pull(state.heads) : begun;
  }

  async #pull(heads: Frontier): Promise<Result<null, Problem>> {
    const pass = new PullPass({
      ...this.#of,
      catchUp: this.#status.catchUp,
      caughtUp: (catchUp) => this.#note({ catchUp }),
      changed: () => this.changed.tell(),
    });
    const pulled = await pass.pull(heads);
    // What came with it may be the key to what could not be opened.
    if (pulled.ok && pulled.value.isWaiting && pulled.value.count > 0) this.#wantsPass = true;
    return pulled.ok ? ok(null) : pulled;
  }

  async #projectStale(): Promise<Result<null, Problem>> {
    const { store } = this.#of;
    for (;;) {
      const connection = store.connection();
      if (connection === null || this.#isClosed) return ok(null);
      if (staleCount(connection.db) === 0) break;
      const left = await store.write(({ db }) => projectStale(db, PROJECT_GROUPS));
      if (!left.ok) return err(notWorkedIn(left.error));
    }
    if (this.#status.catchUp !== null) this.#note({ catchUp: null });
    return ok(null);
  }
}
