import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { folderProblem } from './disk.ts';
import { closeQuietly, openSqlite, sqliteCodeOf } from './open-sqlite.ts';
import { currentRuntime, runtimeProblem } from './runtime.ts';

/** How long a host waits for one that is just going away, ms. */
const LOCK_WAIT_MS = 300;

/** Held for as long as this host uses a profile. */
export interface ProfileLock {
  /** Lets go; a second call does nothing. */
  release(): Promise<void>;
}

/** Who holds a profile, for the message to the second one. The lock itself does not rest on it. */
interface LockOwner {
  readonly pid: number;
  readonly startedAt: string;
  readonly version: string;
}

/** Held here as well: a connection that nothing refers to is closed by the garbage collector, and the lock with it. */
const held = new Set<Database>();

/**
 * Locks a profile for one host. The lock is an open exclusive transaction on a small database of its own: the system lets
 * go of it however the process ends, SIGKILL included, on every platform.
 */
export async function lockProfile(
  folder: string,
  owner: { readonly version: string },
): Promise<Result<ProfileLock, Problem>> {
  const hasOwnBinding = process.env['FENCEPOST_NATIVE_BINDING'] !== undefined;
  const unusable = runtimeProblem(currentRuntime(), hasOwnBinding) ?? folderProblem(folder);
  if (unusable !== null) return err(unusable);
  const ownerFile = join(folder, 'profile.lock.json');
  let db: Database | null = null;
  try {
    db = openSqlite(join(folder, 'profile.lock'), { busyTimeoutMs: LOCK_WAIT_MS });
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    closeQuietly(db);
    return err(sqliteCodeOf(cause).startsWith('SQLITE_BUSY') ? inUseProblem(ownerFile) : lockProblem(folder, cause));
  }
  held.add(db);
  writeOwner(ownerFile, { pid: process.pid, startedAt: new Date().toISOString(), version: owner.version });
  return ok({ release: async () => release(db, ownerFile) });
}

function release(db: Database, ownerFile: string): void {
  if (!held.delete(db)) return;
  // First the name, then the lock: the other way round it could be the next holder's.
  try {
    rmSync(ownerFile, { force: true });
  } catch {
    // Read by another program just now (Windows). It is overwritten by the next holder.
  }
  closeQuietly(db);
}

/** Written aside and moved into place, so that nobody reads half of it. */
function writeOwner(ownerFile: string, owner: LockOwner): void {
  try {
    writeFileSync(`${ownerFile}.new`, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
    renameSync(`${ownerFile}.new`, ownerFile);
  } catch {
    // A full disk, say. Nobody will be told who it is; the lock is what counts.
  }
}

function readOwner(ownerFile: string): LockOwner | null {
  try {
    const { pid, startedAt, version } = JSON.parse(readFileSync(ownerFile, 'utf8')) as Partial<LockOwner>;
    if (!Number.isSafeInteger(pid) || Number.isNaN(Date.parse(startedAt ?? ''))) return null;
    return { pid: Number(pid), startedAt: startedAt ?? '', version: String(version) };
  } catch {
    return null;
  }
}

function inUseProblem(ownerFile: string): Problem {
  const owner = readOwner(ownerFile);
  const who = owner === null ? '' : ` (process ${owner.pid}, started ${timeOf(owner.startedAt)})`;
  return problem(
    'profile-in-use',
    `Another copy of Fencepost is using this data${who}. Close it first.`,
    'Close the other copy, or choose another folder with FENCEPOST_PROFILE.',
    owner === null ? {} : { pid: owner.pid, startedAt: owner.startedAt, version: owner.version },
  );
}

/** Local time of day; with the date when it was not today. */
function timeOf(startedAt: string): string {
  const date = new Date(startedAt);
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return date.toDateString() === new Date().toDateString() ? time : `${date.toLocaleDateString('en-CA')} ${time}`;
}

function lockProblem(folder: string, cause: unknown): Problem {
  const what = cause instanceof Error ? cause.message : String(cause);
  return problem(
    'folder-read-only',
    `The data folder ${folder} cannot be locked: ${what}.`,
    'Choose another folder with FENCEPOST_PROFILE.',
  );
}
