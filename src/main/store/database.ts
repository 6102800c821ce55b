import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { folderProblem } from './disk.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrate.ts';

/** Marks a profile's database: "FPST". */
export const PROFILE_APPLICATION_ID = 0x46505354;
/** SQLite before this could corrupt a database that two connections write (fixed in March 2026). */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
/** How long a statement waits for another process, ms. */
const BUSY_TIMEOUT_MS = 5_000;

/** How a database is opened. */
export interface OpenOptions {
  readonly migrations: readonly Migration[];
  readonly applicationId?: number;
}

/** Opens or makes a database, with every safety setting set and read back; refuses with a sentence otherwise. */
export function openDatabase(file: string, options: OpenOptions): Result<Database, Problem> {
  const tooOld = runtimeProblem();
  if (tooOld !== null) return err(tooOld);
  const folder = folderProblem(dirname(file));
  if (folder !== null) return err(folder);
  const isNew = !existsSync(file);
  let db: Database | null = null;
  try {
    const nativeBinding = process.env['FENCEPOST_NATIVE_BINDING'];
    db = new BetterSqlite(file, nativeBinding === undefined ? {} : { nativeBinding });
    const wrong = configure(db) ?? (isNew ? null : healthProblem(db, file));
    const moved = wrong ?? migrate(db, file, { ...options, applicationId: options.applicationId ?? PROFILE_APPLICATION_ID, isNew });
    if (moved === null) return ok(db);
    db.close();
    return err(moved);
  } catch (cause) {
    db?.close();
    return err(problemOfSqlite(cause) ?? unreadable(file, cause));
  }
}

function runtimeProblem(): Problem | null {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isElectron = process.versions['electron'] !== undefined;
  if (isElectron || major > 22 || (major === 22 && minor >= 14)) return null;
  return problem('runtime-too-old', `Fencepost needs Node 22.14 or newer; this is ${process.versions.node}.`, 'Start it with npm start, which brings the right one.');
}

/** Sets what durability and safety rest on, then reads it back: a later connection silently opens as NORMAL otherwise. */
function configure(db: Database): Problem | null {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  db.pragma('journal_mode = WAL');
  const settings: Record<string, number> = { synchronous: 2, foreign_keys: 1, trusted_schema: 0, cell_size_check: 1 };
  if (process.platform === 'darwin') Object.assign(settings, { fullfsync: 1, checkpoint_fullfsync: 1 });
  for (const [name, value] of Object.entries(settings)) {
    db.pragma(`${name} = ${value}`);
    if (db.pragma(name, { simple: true }) !== value) return unsafe(`${name} could not be set`);
  }
  db.pragma('mmap_size = 0');
  db.pragma('journal_size_limit = 67108864');
  if (db.pragma('journal_mode', { simple: true }) !== 'wal') return unsafe('the write-ahead log could not be switched on');
  const version = (db.prepare('SELECT sqlite_version() AS version').get() as { version: string }).version;
  return isOlder(version) ? unsafe(`SQLite ${version} has a known fault`) : null;
}

function isOlder(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, needed] of OLDEST_SAFE_SQLITE.entries()) {
    const found = parts[index] ?? 0;
    if (found !== needed) return found < needed;
  }
  return false;
}

function unsafe(what: string): Problem {
  return problem('store-corrupt', `The record cannot be kept safely here: ${what}.`, 'Move the data folder to a local disk, then start again.');
}

function healthProblem(db: Database, file: string): Problem | null {
  const [first] = db.pragma('quick_check(1)') as { quick_check: string }[];
  return first?.quick_check === 'ok' ? null : corrupt(file, first?.quick_check ?? 'no answer');
}

function corrupt(file: string, what: string): Problem {
  return problem(
    'store-corrupt',
    `The record ${basename(file)} is damaged (${what.slice(0, 200)}).`,
    `Nothing was changed. Keep the file, and put back the newest copy from the folder "backups" beside it.`,
  );
}

function unreadable(file: string, cause: unknown): Problem {
  return problem('store-corrupt', `The record ${basename(file)} could not be opened: ${cause instanceof Error ? cause.message : String(cause)}`, 'Nothing was changed. Check the file and its folder.');
}

/**
 * The sentence for an error of SQLite after which nobody knows what reached the disk; `null` for an error of a statement,
 * which is a fault of the program and changed nothing.
 */
export function problemOfSqlite(cause: unknown): Problem | null {
  const code = cause instanceof BetterSqlite.SqliteError ? cause.code : '';
  if (code.startsWith('SQLITE_FULL')) {
    return problem('store-full', 'The disk is full, so nothing can be written down.', 'Nothing is sent meanwhile. Free some space; Fencepost goes on by itself.');
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return problem('store-read-only', 'The record cannot be written: its folder or disk is read-only.', 'Nothing is sent meanwhile. Make the data folder writable again.');
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return problem('store-busy', 'Another program is using the record.', 'Nothing was sent. Close the other program.');
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return problem('store-corrupt', 'The record is damaged.', 'Nothing is sent. Keep the file, and put back the newest copy from the folder "backups" beside it.');
  }
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_PROTOCOL')) {
    return problem('store-unsure', 'The disk reported an error, so nobody knows what was written.', 'Nothing is sent. The record is being opened again and checked.');
  }
  return null;
}
