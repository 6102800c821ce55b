import { join } from 'node:path';
import type { ChangeNotice } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { bootTerms } from '../coordinators/sqlite/lease-terms.ts';
import { SqliteRegister } from '../coordinators/sqlite/sqlite-register.ts';
import type { HostClock } from '../host/clock.ts';
import { sleep } from '../host/timers.ts';
import type { HostTimers } from '../host/timers.ts';
import type { Connection } from './connection.ts';
import { openDatabase, problemOfSqlite } from './database.ts';
import { settleIdentity } from './identity.ts';
import type { SettledIdentity } from './identity.ts';
import { JobClock } from './job-clock.ts';
import { Journal } from './journal.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { closeQuietly } from './open-sqlite.ts';
import { openingProblem } from './sqlite-problem.ts';
import { WriteQueue } from './write-queue.ts';

/** How long to wait before a broken database is opened again, ms. */
const REOPEN_DELAY_MS = 250;

/** What the store needs from the host around it. */
export interface StoreOptions {
  readonly clock: HostClock;
  readonly timers: HostTimers;
  /** A new unique id. */
  readonly newId: () => string;
  /** What the machine is called, to notice a copied profile; `null`, or left out, where nobody says. */
  readonly machineId?: string | null;
  /** Opens the database; the simulator's breaks on purpose. */
  readonly open?: typeof openDatabase;
}

/** The profile's one database: opened, written through one queue, and opened again after any doubt. */
export class Store {
  readonly #file: string;
  readonly #queue: WriteQueue;
  readonly #listeners = new Set<(notice: ChangeNotice) => void>();
  #connection: Connection | null = null;
  #failure: Problem | null = null;
  #identity: SettledIdentity | null = null;
  #reopening: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #jobClock: JobClock;
  readonly #options: StoreOptions;

  private constructor(file: string, options: StoreOptions) {
    this.#file = file;
    this.#options = options;
    this.#jobClock = new JobClock(options.clock);
    this.#queue = new WriteQueue({
      connection: () => this.#connection,
      committed: (connection, previousSequence) => this.#committed(connection, previousSequence),
      broken: (failure) => this.#broken(failure),
      problemOf: problemOfSqlite,
      soon: (act) => options.timers.soon(act),
    });
  }

  /** Opens `fencepost.sqlite` in a profile folder, which must be locked by the caller. */
  static open(folder: string, options: StoreOptions): Result<Store, Problem> {
    const store = new Store(join(folder, 'fencepost.sqlite'), options);
    const opened = store.#open(false);
    return opened.ok ? ok(store) : opened;
  }

  /** `mustExist`: a record that vanished while it was in use is never begun anew. */
  #open(mustExist: boolean): Result<null, Problem> {
    const { newId, machineId = null, open = openDatabase } = this.#options;
    const opened = open(this.#file, { migrations: MIGRATIONS, mustExist });
    if (!opened.ok) return opened;
    const db = opened.value;
    try {
      // Once only: a host that has begun as one device ends as that one, whatever it is to be at its next start.
      this.#identity ??= settleIdentity(db, { newId, machineId });
      const { deviceId } = this.#identity;
      const clock = this.#jobClock;
      const journal = new Journal(db, deviceId, () => clock.read().wallMs);
      this.#connection = { db, journal, register: new SqliteRegister(db, { terms: bootTerms(clock), newId }) };
    } catch (cause) {
      // The disk can fail at the first words of a new record as well, and at any later look.
      closeQuietly(db);
      return err(openingProblem(this.#file, cause));
    }
    this.#failure = null;
    return ok(null);
  }

  /** The open connection; `null` while nobody knows what is on the disk. */
  connection(): Connection | null {
    return this.#connection;
  }

  /** Which device this profile is, and since when. @throws Error before it was opened. */
  identity(): SettledIdentity {
    if (this.#identity === null) throw new Error('The record was never opened.');
    return this.#identity;
  }

  /** Writes in the shared transaction of this turn; resolves after its commit. */
  write<Value>(job: (connection: Connection) => Value): Promise<Result<Value, Problem>> {
    return this.#queue.write((connection) => {
      this.#jobClock.begin();
      try {
        return job(connection);
      } finally {
        this.#jobClock.end();
      }
    });
  }

  state(): { readonly state: 'ready' | 'unsure' | 'full' | 'read-only'; readonly message: string } {
    if (this.#failure === null) return { state: 'ready', message: '' };
    const states = { 'store-full': 'full', 'store-read-only': 'read-only' } as const;
    const { code, message } = this.#failure;
    return { state: code === 'store-full' || code === 'store-read-only' ? states[code] : 'unsure', message };
  }

  /** Told after each commit, before the writers are. */
  onCommit(listener: (notice: ChangeNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when a broken store has been opened again, or gave up for now. */
  reopened(): Promise<void> {
    return this.#reopening;
  }

  #committed(connection: Connection, previousSequence: number): void {
    const { runIds, agentIds } = connection.journal.takeTouched();
    const sequence = connection.journal.head.seq;
    if (sequence === previousSequence && runIds.size === 0) return;
    const notice: ChangeNotice = { sequence, previousSequence, runIds: [...runIds], agentIds: [...agentIds] };
    for (const listener of this.#listeners) listener(notice);
  }

  /** An error from COMMIT is not a "no": this connection is never asked again (reference: reliability, finding 2). */
  #broken(failure: Problem): void {
    const broken = this.#connection;
    this.#connection = null;
    this.#failure = failure;
    this.#reopening = this.#reopen(broken);
  }

  async #reopen(broken: Connection | null): Promise<void> {
    try {
      broken?.db.close();
    } catch {
      // A connection that cannot even be closed is left to the garbage collector; it is never used again.
    }
    await sleep(this.#options.timers, REOPEN_DELAY_MS);
    while (!this.#isClosed) {
      const opened = this.#open(true);
      if (opened.ok) return;
      this.#failure = opened.error;
      await sleep(this.#options.timers, REOPEN_DELAY_MS * 4);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.db.close();
    this.#connection = null;
    this.#failure ??= problem('store-unsure', 'The record is closed.');
  }
}
