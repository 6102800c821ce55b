import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { openDatabase } from '../../store/database.ts';
import { closeQuietly } from '../../store/open-sqlite.ts';
import { sentenceOf, unreachableProblem, wentBackProblem } from '../register-problem.ts';
import type { LeaseTerms } from './lease-terms.ts';
import { REGISTER_SCHEMA, SqliteRegister } from './sqlite-register.ts';

/** How long one try waits for another process, ms. It holds up the event loop, so it is short and tried again. */
const BUSY_TRY_MS = 100;

const MIGRATIONS = [{ version: 10, name: 'register', sql: REGISTER_SCHEMA }];

/** Which file, of which kind, by which clock. */
export interface RegisterFileOptions {
  readonly file: string;
  /** Marks the kind of register, so that one kind of host never serves the file of another. */
  readonly applicationId: number;
  readonly terms: LeaseTerms;
}

/** `busy`: another process holds the file, and nothing was decided. */
export type Attempt<Value> = Result<Value, Problem> | { readonly ok: 'busy' };

interface Connection {
  readonly db: Database;
  readonly register: SqliteRegister;
  /** The file's identity on the disk, and that of its write-ahead log. */
  readonly place: string;
}

/** Opens or makes the register of a file. */
export function openRegisterFile(options: RegisterFileOptions): Result<RegisterFile, Problem> {
  const first = connect(options, { mustExist: false });
  return first.ok ? ok(new RegisterFile(options, first.value)) : first;
}

/** A register on a file of its own. Its connection is made anew after every error that leaves the disk in question. */
export class RegisterFile {
  readonly identity: CoordinatorIdentity;
  readonly #options: RegisterFileOptions;
  #connection: Connection | null;
  #isClosed = false;

  constructor(options: RegisterFileOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
    this.identity = connection.register.identity;
  }

  /**
   * One IMMEDIATE transaction with one flush. What `decide` throws takes everything back, and an error means: unknown.
   * The write lock is taken for reads as well, so that they stand in one line with the verbs, and a register whose lock
   * cannot be had does not pass for a working one.
   */
  run<Value>(decide: (register: SqliteRegister) => Value): Attempt<Value> {
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

  close(): void {
    this.#isClosed = true;
    this.#drop();
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

function connect(options: RegisterFileOptions, of: { readonly mustExist: boolean }): Result<Connection, Problem> {
  const { file, applicationId, terms } = options;
  const opened = openDatabase(file, { migrations: MIGRATIONS, applicationId, mustExist: of.mustExist });
  if (!opened.ok) return opened;
  const db = opened.value;
  try {
    const register = db.transaction(() => new SqliteRegister(db, { terms, newId: randomUUID })).immediate();
    db.pragma(`busy_timeout = ${BUSY_TRY_MS}`);
    return ok({ db, register, place: placeOf(file) });
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
