import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { hubRelayUnreachable, relayFullProblem } from '../../hub/relay/relay-problem.ts';
import { openDatabase } from '../../store/database.ts';
import { closeQuietly, sqliteCodeOf } from '../../store/open-sqlite.ts';
import { sentenceOf } from '../register-problem.ts';

/** Marks the journals that a hub carries ("FPHR"). */
const RELAY_APPLICATION_ID = 0x46504852;
/** What the journals leave free on the disk, bytes: the register beside them must be able to write. */
const RESERVE_BYTES = 256 * 1_048_576;

const SCHEMA = `
CREATE TABLE relay_device (
  device_id TEXT PRIMARY KEY,
  head      INTEGER NOT NULL,
  -- Up to here single entries are not given out any more; all from here to the head are held.
  floor     INTEGER NOT NULL,
  CHECK (0 <= floor AND floor <= head)
) STRICT, WITHOUT ROWID;

CREATE TABLE relay_operation (
  device_id TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  wall_ms   INTEGER NOT NULL,
  counter   INTEGER NOT NULL,
  box       TEXT NOT NULL,
  PRIMARY KEY (device_id, seq)
) STRICT;

CREATE TABLE relay_member (
  device_id       TEXT PRIMARY KEY,
  last_seen_at_ms INTEGER NOT NULL,
  acknowledged    TEXT NOT NULL,
  is_let_go       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE relay_checkpoint (
  upload_id     TEXT PRIMARY KEY,
  state         TEXT NOT NULL CHECK (state IN ('arriving', 'newest', 'dropped')),
  uploader      TEXT NOT NULL,
  began_at_ms   INTEGER NOT NULL,
  checkpoint_id TEXT NOT NULL,
  device_id     TEXT NOT NULL,
  frontier      TEXT NOT NULL,
  part_count    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX relay_newest ON relay_checkpoint (state) WHERE state = 'newest';

CREATE TABLE relay_part (
  upload_id TEXT NOT NULL REFERENCES relay_checkpoint (upload_id),
  part      INTEGER NOT NULL,
  box       TEXT NOT NULL,
  PRIMARY KEY (upload_id, part)
) STRICT;
`;

/** Which file, and how much room its disk has; a test says that there is none. */
export interface RelayFileOptions {
  readonly file: string;
  /** Bytes. */
  readonly freeBytes?: () => number;
}

/** Thrown within `run`: takes the transaction back and is answered as the problem that it carries. */
export class TakeBackError extends Error {
  override readonly name = 'TakeBackError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Opens or makes the file of a hub's journals. */
export function openRelayFile(options: RelayFileOptions): Result<RelayFile, Problem> {
  const opened = connect(options.file, { mustExist: false });
  return opened.ok ? ok(new RelayFile(options, opened.value)) : opened;
}

interface Connection {
  readonly db: Database;
  /** The identity of the file on the disk. */
  readonly place: string;
}

/** The journals of a hub on a file. Its connection is made anew after every error that leaves the disk in question. */
export class RelayFile {
  readonly #options: RelayFileOptions;
  #connection: Connection | null;
  #isClosed = false;

  constructor(options: RelayFileOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
  }

  /**
   * One IMMEDIATE transaction with one flush. A problem that `act` answers takes nothing back of what it did before; what it
   * throws takes back everything.
   */
  run<Value>(act: (db: Database) => Result<Value, Problem>): Result<Value, Problem> {
    if (this.#isClosed) return err(hubRelayUnreachable('It was closed.'));
    const found = this.#connection === null ? this.#reopen() : ok(this.#connection);
    if (!found.ok) return found;
    const { db, place } = found.value;
    try {
      const value = db.transaction(() => act(db)).immediate();
      // Written into a file that was taken away, it would be gone with the next start.
      if (placeOf(this.#options.file) !== place) throw new Error('Its file is no longer in its place.');
      return value;
    } catch (cause) {
      if (cause instanceof TakeBackError) return err(cause.problem);
      this.#drop();
      return err(problemOf(cause));
    }
  }

  /** Whether something more may be kept; the problem is that there is no room. */
  room(): Result<null, Problem> {
    const { file, freeBytes = () => freeBytesAt(dirname(file)) } = this.#options;
    return freeBytes() > RESERVE_BYTES ? ok(null) : err(relayFullProblem('Its disk is nearly full.'));
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #reopen(): Result<Connection, Problem> {
    const again = connect(this.#options.file, { mustExist: true });
    if (!again.ok) return err(hubRelayUnreachable(again.error.message));
    this.#connection = again.value;
    return again;
  }

  #drop(): void {
    if (this.#connection !== null) closeQuietly(this.#connection.db);
    this.#connection = null;
  }
}

function connect(file: string, of: { readonly mustExist: boolean }): Result<Connection, Problem> {
  const migrations = [{ version: 10, name: 'relay', sql: SCHEMA }];
  const opened = openDatabase(file, { migrations, applicationId: RELAY_APPLICATION_ID, mustExist: of.mustExist });
  return opened.ok ? ok({ db: opened.value, place: placeOf(file) }) : opened;
}

function placeOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'missing' : `${found.dev}:${found.ino}`;
}

function problemOf(cause: unknown): Problem {
  const isFull = sqliteCodeOf(cause).startsWith('SQLITE_FULL');
  return isFull ? relayFullProblem('Its disk is full.') : hubRelayUnreachable(sentenceOf(cause));
}

/** Where a system does not tell, the write itself will. */
function freeBytesAt(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
