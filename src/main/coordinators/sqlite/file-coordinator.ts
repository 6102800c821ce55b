import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { HostClock } from '../../host/clock.ts';
import { openDatabase } from '../../store/database.ts';
import type { LeaseCoordinator } from '../lease-coordinator.ts';
import { sentenceOf, unreachableProblem, wentBackProblem } from '../register-problem.ts';
import { REGISTER_SCHEMA, SqliteRegister } from './sqlite-register.ts';

/** Marks a register's file ("FPRG"), so that a profile's database is never taken for one. */
const REGISTER_APPLICATION_ID = 0x46505247;
/** How long one try waits for another process, ms. It holds up the event loop, so it is short and tried again. */
const BUSY_TRY_MS = 100;
/** How long a verb waits for other processes in all, ms: less than the send window. */
const BUSY_LIMIT_MS = 2_000;
/** The longest pause between two tries, ms; each is a random part of it, so that waiting hosts do not keep in step. */
const BUSY_PAUSE_MS = 25;

const MIGRATIONS = [{ version: 10, name: 'register', sql: REGISTER_SCHEMA }];

/** Which register file, by which clock. */
export interface FileCoordinatorOptions {
  readonly file: string;
  /** Expiry counts on its boot clock, which all processes of one machine share. */
  readonly clock: HostClock;
}

/** Opens or makes a register on a file of its own, for several hosts on one machine. */
export function openFileCoordinator(options: FileCoordinatorOptions): Result<LeaseCoordinator, Problem> {
  const first = connect(options, { mustExist: false });
  return first.ok ? ok(new FileCoordinator(options, first.value)) : first;
}

interface Connection {
  readonly db: Database;
  readonly register: SqliteRegister;
  /** The file's identity on the disk, and that of its write-ahead log. */
  readonly place: string;
}

type Attempt<Value> = Result<Value, Problem> | { readonly ok: 'busy' };

/** Every verb is one IMMEDIATE transaction with its own flush. */
class FileCoordinator implements LeaseCoordinator {
  readonly name = 'A file on this machine';
  readonly inside = null;
  readonly identity: LeaseCoordinator['identity'];
  readonly #options: FileCoordinatorOptions;
  #connection: Connection | null;
  #isClosed = false;

  constructor(options: FileCoordinatorOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
    this.identity = connection.register.identity;
  }

  ask: LeaseCoordinator['ask'] = (agentId, verb) => this.#run((register) => register.ask(agentId, verb));

  /**
   * A plain read that begins after a commit returned would see that commit as well. The write lock is taken all the same, so
   * that a read stands in one line with the verbs, and a register whose lock cannot be had does not pass for a working one.
   */
  current: LeaseCoordinator['current'] = (agentId) => this.#run((register) => register.current(agentId));

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
  }

  async #run<Value>(decide: (register: SqliteRegister) => Value): Promise<Result<Value, Problem>> {
    const until = performance.now() + BUSY_LIMIT_MS;
    for (;;) {
      const attempt = this.#try(decide);
      if (attempt.ok !== 'busy') return attempt;
      if (performance.now() > until) return err(unreachableProblem('Other programs keep it busy.'));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * BUSY_PAUSE_MS));
    }
  }

  #try<Value>(decide: (register: SqliteRegister) => Value): Attempt<Value> {
    if (this.#isClosed) return err(unreachableProblem('It was closed.'));
    const found = this.#connection === null ? this.#reopen() : ok(this.#connection);
    if (!found.ok) return found;
    const { db, register, place } = found.value;
    try {
      const value = db
        .transaction(() => {
          // Before: nothing is written into a lost file, which would come back with what nobody was told of.
          this.#needPlace(place);
          return decide(register);
        })
        .immediate();
      // After: it was in its place the whole time, or the answer is thrown away.
      this.#needPlace(place);
      return ok(value);
    } catch (cause) {
      if (!db.inTransaction && isBusy(cause)) return { ok: 'busy' };
      // What reached the disk is unknown, so this connection is never asked again (reference: reliability, finding 2).
      this.#drop();
      return err(unreachableProblem(sentenceOf(cause)));
    }
  }

  /** A file that was taken from its place still works for whoever holds it open: two registers, two holders. */
  #needPlace(place: string): void {
    if (placeOf(this.#options.file) !== place) throw new Error('Its file is no longer in its place.');
  }

  /** Never makes a new register: an empty one would grant what the lost one had granted to somebody else. */
  #reopen(): Result<Connection, Problem> {
    const again = connect(this.#options, { mustExist: true });
    if (!again.ok) return err(unreachableProblem(again.error.message));
    const { coordinatorId, incarnation } = again.value.register.identity;
    if (coordinatorId !== this.identity.coordinatorId || incarnation !== this.identity.incarnation) {
      closeQuietly(again.value.db);
      return err(wentBackProblem());
    }
    this.#connection = again.value;
    return again;
  }

  #drop(): void {
    if (this.#connection !== null) closeQuietly(this.#connection.db);
    this.#connection = null;
  }
}

function connect(options: FileCoordinatorOptions, of: { readonly mustExist: boolean }): Result<Connection, Problem> {
  const opened = openDatabase(options.file, {
    migrations: MIGRATIONS,
    applicationId: REGISTER_APPLICATION_ID,
    mustExist: of.mustExist,
  });
  if (!opened.ok) return opened;
  const db = opened.value;
  try {
    const register = db.transaction(() => new SqliteRegister(db, options.clock)).immediate();
    db.pragma(`busy_timeout = ${BUSY_TRY_MS}`);
    return ok({ db, register, place: placeOf(options.file) });
  } catch (cause) {
    closeQuietly(db);
    return err(unreachableProblem(sentenceOf(cause)));
  }
}

/** SQLite keeps the log for as long as anybody has the file open, so neither of the two changes while it is in use. */
function placeOf(file: string): string {
  const parts = [file, `${file}-wal`].map((path) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'missing' : `${found.dev}:${found.ino}`;
  });
  return parts.join(' ');
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && String(cause.code).startsWith('SQLITE_BUSY');
}

function closeQuietly(db: Database): void {
  try {
    db.close();
  } catch {
    // It is not used again either way.
  }
}
