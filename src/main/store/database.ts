import { closeSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { errorCodeOf, folderProblem, syncedFolderHint } from './disk.ts';
import { newestBackup } from './list-backups.ts';
import { migrate, schemaProblem } from './migrate.ts';
import type { Migration } from './migrate.ts';
import { BUSY_TIMEOUT_MS, closeQuietly, openSqlite, sqliteCodeOf } from './open-sqlite.ts';
import { restoreMarkOf } from './restore-backup.ts';
import { currentRuntime, runtimeProblem } from './runtime.ts';
import { corruptProblem, openingProblem } from './sqlite-problem.ts';

export { problemOfSqlite } from './sqlite-problem.ts';

/** Marks a profile's database: "FPST". */
export const PROFILE_APPLICATION_ID = 0x46505354;
/** SQLite before this could corrupt a database that two connections write (fixed in March 2026). */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
/** Up to this size a database is checked at every start, in bytes; a larger one only after an unclean stop. */
export const CHECK_ALWAYS_BYTES = 64 * 1_048_576;
/**
 * How long the write-ahead log grows before it is brought into the file, in pages (16 MiB). An effect writes about thirty, most
 * of them the same as the last one did: a longer log costs fewer writes, and less than one effect in a hundred waits for it.
 */
const CHECKPOINT_PAGES = 4_000;
/** Pages kept in memory, in KiB. */
const CACHE_KIB = 16_384;
/** What is left of the write-ahead log after a checkpoint, in bytes. */
const LOG_KEPT_BYTES = 64 * 1_048_576;
/** How often, and with what pause in ms, the change to a write-ahead log is tried while another process makes it. */
const LOG_TRIES = 100;
const LOG_PAUSE_MS = 20;

/** How a database is opened. */
export interface OpenOptions {
  readonly migrations: readonly Migration[];
  /** `PROFILE_APPLICATION_ID` unless it is another kind of file. */
  readonly applicationId?: number;
  /** Refuse rather than make a new one: for a file that was there a moment ago. */
  readonly mustExist?: boolean;
}

/**
 * Opens or makes a database, with every setting that durability and safety rest on set and read back. Anything that is not
 * as it should be is a problem with a way out, and an existing file is looked at before anything of it is changed.
 */
export function openDatabase(file: string, options: OpenOptions): Result<Database, Problem> {
  const hasOwnBinding = process.env['FENCEPOST_NATIVE_BINDING'] !== undefined;
  const unusable = runtimeProblem(currentRuntime(), hasOwnBinding) ?? folderProblem(dirname(file));
  if (unusable !== null) return err(unusable);
  const schema = { migrations: options.migrations, applicationId: options.applicationId ?? PROFILE_APPLICATION_ID };
  let db: Database | null = null;
  try {
    const found = lookAt(file);
    const absent = placeProblem(file, found, options.mustExist ?? false);
    if (absent !== null) return err(absent);
    if (found.bytes === null) createPrivately(file);
    db = openSqlite(file, { mustExist: true });
    const wrong =
      versionProblem(db) ??
      schemaProblem(db, file, schema) ??
      lengthProblem(db, file) ??
      healthProblem(db, file, found) ??
      settingsProblem(db, file) ??
      migrate(db, file, schema);
    if (wrong === null) return ok(db);
    closeQuietly(db);
    return err(wrong);
  } catch (cause) {
    closeQuietly(db);
    return err(openingProblem(file, cause));
  }
}

/** Opens a database for looking only, also a damaged one or one from a newer version: for export and diagnosis. */
export function openReadOnly(file: string): Result<Database, Problem> {
  const unusable = runtimeProblem(currentRuntime(), process.env['FENCEPOST_NATIVE_BINDING'] !== undefined);
  if (unusable !== null) return err(unusable);
  let db: Database | null = null;
  try {
    db = openSqlite(file, { isReadOnly: true, mustExist: true });
    db.pragma('trusted_schema = 0');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return ok(db);
  } catch (cause) {
    closeQuietly(db);
    return err(openingProblem(file, cause));
  }
}

interface Found {
  /** `null`: there is no such file. */
  readonly bytes: number | null;
  /** A write-ahead log with something in it. SQLite removes it at a clean stop, so it tells of an unclean one. */
  readonly hasLog: boolean;
  readonly isHalfRestored: boolean;
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

function lookAt(file: string): Found {
  return {
    bytes: sizeOf(file),
    hasLog: (sizeOf(`${file}-wal`) ?? 0) > 0,
    isHalfRestored: sizeOf(restoreMarkOf(file)) !== null,
  };
}

/** A record that vanished or was emptied must not begin anew: an empty register grants what the lost one had granted. */
function placeProblem(file: string, found: Found, mustExist: boolean): Problem | null {
  if (found.isHalfRestored) {
    const message = `Putting back a copy of ${basename(file)} was interrupted.`;
    return problem('store-corrupt', message, 'Put the copy back once more.', { file, backup: newestBackup(file) });
  }
  if (found.bytes !== null && found.bytes > 0) return null;
  if (found.hasLog || newestBackup(file) !== null) {
    return corruptProblem(file, found.bytes === null ? 'the file is missing' : 'the file is empty');
  }
  if (found.bytes !== null || !mustExist) return null;
  return problem('store-unsure', `The file ${basename(file)} is missing.`, 'Put it back in its place.', { file });
}

/** Nobody else on this machine reads what agents did. SQLite gives its log and index the mode of the file itself. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    // Another process made it a moment ago, which is as good.
    if (errorCodeOf(cause) !== 'EEXIST') throw cause;
  }
}

function versionProblem(db: Database): Problem | null {
  const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  return isSafeSqlite(version)
    ? null
    : unsafeProblem(db.name, `SQLite ${version} has a known fault; ${OLDEST_SAFE_SQLITE.join('.')} is needed`);
}

/** Whether a version of SQLite is free of the fault that two writers could bring out. */
export function isSafeSqlite(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, needed] of OLDEST_SAFE_SQLITE.entries()) {
    const found = parts[index] ?? 0;
    if (found !== needed) return found > needed;
  }
  return true;
}

/**
 * SQLite fills up what is missing at the end of a file with zeros, which can pass for a valid page. Without a log, which
 * may still bring the rest, the file has to be as long as it says. It is measured last, since others may write to it.
 */
function lengthProblem(db: Database, file: string): Problem | null {
  const pageBytes = db.pragma('page_size', { simple: true }) as number;
  const pages = db.pragma('page_count', { simple: true }) as number;
  const hasLog = (sizeOf(`${file}-wal`) ?? 0) > 0;
  const bytes = sizeOf(file) ?? 0;
  const isWhole = bytes >= pages * pageBytes && bytes % pageBytes === 0;
  return hasLog || isWhole ? null : corruptProblem(file, 'the end of the file is missing');
}

/**
 * After an unclean stop also whether every index has what its table has: a row that an index lacks is not found. That takes nine
 * times as long, so in a large file it is left to whoever checks the record.
 */
function healthProblem(db: Database, file: string, found: Found): Problem | null {
  const isLarge = (found.bytes ?? 0) > CHECK_ALWAYS_BYTES;
  if (isLarge && !found.hasLog) return null;
  db.pragma('cell_size_check = 1');
  const said = db.pragma(found.hasLog && !isLarge ? 'integrity_check(1)' : 'quick_check(1)', { simple: true });
  return said === 'ok' ? null : corruptProblem(file, typeof said === 'string' ? said : 'no answer');
}

/**
 * Sets each, then reads it back. The library silently opens every later connection without a flush at COMMIT (reference:
 * reliability, finding 1), so what was set once is not trusted to hold.
 */
function settingsProblem(db: Database, file: string): Problem | null {
  if (!switchToLog(db)) return unsafeProblem(file, 'the write-ahead log could not be switched on');
  const settings: Record<string, number> = {
    synchronous: 2,
    foreign_keys: 1,
    trusted_schema: 0,
    cell_size_check: 1,
    mmap_size: 0,
    busy_timeout: BUSY_TIMEOUT_MS,
    wal_autocheckpoint: CHECKPOINT_PAGES,
    cache_size: -CACHE_KIB,
    journal_size_limit: LOG_KEPT_BYTES,
  };
  // Without it macOS leaves the last commits in the cache of the drive.
  if (process.platform === 'darwin') Object.assign(settings, { fullfsync: 1, checkpoint_fullfsync: 1 });
  for (const [name, value] of Object.entries(settings)) {
    db.pragma(`${name} = ${value}`);
    if (db.pragma(name, { simple: true }) !== value) return unsafeProblem(file, `${name} could not be set to ${value}`);
  }
  tryWriting(db);
  return null;
}

/**
 * A file that may only be read opens without a word, and BEGIN IMMEDIATE then quietly begins a transaction that only reads.
 * A change that is taken back again is what tells.
 * @throws SqliteError
 */
function tryWriting(db: Database): void {
  const version = db.pragma('user_version', { simple: true }) as number;
  db.exec('BEGIN IMMEDIATE');
  try {
    db.pragma(`user_version = ${version}`);
  } finally {
    db.exec('ROLLBACK');
  }
}

/** The change needs the file to itself for a moment, and SQLite does not wait for that by itself. */
function switchToLog(db: Database): boolean {
  for (let tries = 1; ; tries++) {
    try {
      return db.pragma('journal_mode = WAL', { simple: true }) === 'wal';
    } catch (cause) {
      if (!sqliteCodeOf(cause).startsWith('SQLITE_BUSY') || tries === LOG_TRIES) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOG_PAUSE_MS);
    }
  }
}

function unsafeProblem(file: string, what: string): Problem {
  const hint = syncedFolderHint(dirname(file)) ?? 'Move the data folder to a disk of this machine, then start again.';
  return problem('store-unsure', `The record cannot be kept safely here: ${what}.`, hint, { file });
}
