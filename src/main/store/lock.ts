import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { folderProblem } from './disk.ts';

/** Held for as long as this host uses a profile. */
export interface ProfileLock {
  release(): Promise<void>;
}

/**
 * Locks a profile for one host. The lock is an open exclusive transaction on a small file of its own: the system lets go
 * of it however the process ends, SIGKILL included, on every platform. Beside it stands who holds it, for the message.
 */
export async function lockProfile(folder: string, owner: { readonly version: string }): Promise<Result<ProfileLock, Problem>> {
  const unusable = folderProblem(folder);
  if (unusable !== null) return err(unusable);
  const whoFile = join(folder, 'profile.lock.json');
  const nativeBinding = process.env['FENCEPOST_NATIVE_BINDING'];
  let db: BetterSqlite.Database | null = null;
  try {
    db = new BetterSqlite(join(folder, 'profile.lock'), { timeout: 0, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db?.close();
    const isBusy = cause instanceof BetterSqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY');
    if (isBusy) return err(inUse(whoFile));
    return err(problem('folder-read-only', `The data folder ${folder} cannot be locked: ${cause instanceof Error ? cause.message : String(cause)}`, 'Choose another folder with FENCEPOST_PROFILE.'));
  }
  const held = db;
  writeFileSync(whoFile, JSON.stringify({ pid: process.pid, startedAt: new Date().toISOString(), version: owner.version }));
  return ok({
    async release() {
      held.exec('ROLLBACK');
      held.close();
    },
  });
}

function inUse(whoFile: string): Problem {
  let who = '';
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(whoFile, 'utf8')) as { pid: number; startedAt: string };
    const time = new Date(startedAt).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    who = ` (process ${pid}, started ${time})`;
  } catch {
    // Nobody wrote down who it is; the lock itself is what counts.
  }
  return problem('profile-in-use', `Another copy of Fencepost is using this data${who}.`, 'Close it first, or choose another folder with FENCEPOST_PROFILE.');
}
