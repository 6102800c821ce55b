import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { errorCodeOf, flushToDisk } from './disk.ts';
import { backupFolderOf, listBackups } from './list-backups.ts';
import { closeQuietly, openSqlite } from './open-sqlite.ts';
import { problemOfSqlite } from './sqlite-problem.ts';

/** How many copies are kept of each file. */
export const BACKUPS_KEPT = 10;
/** How much of a file is read at once for its digest, in bytes. */
const CHUNK_BYTES = 1_048_576;

/**
 * Makes a checked copy of an open database in the folder `backups` beside it, with its SHA-256 in a file of its own.
 * The copy has its name only once it is whole, checked and on the disk. Not to be called inside a transaction.
 */
export function backupDatabase(db: Database, file: string, of: { readonly label: string }): Result<string, Problem> {
  const folder = backupFolderOf(file);
  const stamp = new Date().toISOString().replaceAll(/[:.]/gu, '-');
  const copy = join(folder, `${basename(file)}.${stamp}.${of.label}.sqlite`);
  const unfinished = `${copy}.unfinished`;
  try {
    // The name of a new folder is on the disk only once the folder around it is.
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) flushToDisk(dirname(folder));
    db.prepare('VACUUM INTO ?').run(unfinished);
    chmodSync(unfinished, 0o600);
    checkIntegrity(unfinished);
    flushToDisk(unfinished);
    writeFileSync(digestFileOf(copy), `${digestOfFile(unfinished)}\n`, { mode: 0o600, flush: true });
    renameSync(unfinished, copy);
    flushToDisk(folder);
  } catch (cause) {
    for (const left of [unfinished, `${unfinished}-journal`, digestFileOf(copy)]) removeQuietly(left);
    return err(copyProblem(cause));
  }
  forgetOldest(file);
  return ok(copy);
}

/** Why a copy cannot be trusted: it is not what was written, or it was never whole; `null` if it can. */
export function verifyBackup(copy: string): Problem | null {
  try {
    const written = readFileSync(digestFileOf(copy), 'utf8').trim();
    if (digestOfFile(copy) !== written) return damagedProblem(copy, 'it is not what was written');
    checkIntegrity(copy);
    return null;
  } catch (cause) {
    return damagedProblem(copy, cause instanceof Error ? cause.message : String(cause));
  }
}

/** @throws Error when the database in a file is not whole. */
function checkIntegrity(file: string): void {
  const db = openSqlite(file, { isReadOnly: true, mustExist: true });
  try {
    const [first] = db.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (first?.integrity_check !== 'ok') throw new Error(first?.integrity_check ?? 'no answer to the check');
  } finally {
    closeQuietly(db);
  }
}

function digestFileOf(copy: string): string {
  return `${copy}.sha256`;
}

/** In pieces, since a file may be larger than what fits into memory at once. */
function digestOfFile(file: string): string {
  const hash = createHash('sha256');
  const chunk = new Uint8Array(CHUNK_BYTES);
  const opened = openSync(file, 'r');
  try {
    for (;;) {
      const length = readSync(opened, chunk);
      if (length === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, length));
    }
  } finally {
    closeSync(opened);
  }
}

function forgetOldest(file: string): void {
  for (const old of listBackups(file).slice(BACKUPS_KEPT)) {
    removeQuietly(old);
    removeQuietly(digestFileOf(old));
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It only takes up room, and must not hide why it is to go.
  }
}

function copyProblem(cause: unknown): Problem {
  const what = cause instanceof Error ? cause.message : String(cause);
  const isFull = errorCodeOf(cause) === 'ENOSPC' || problemOfSqlite(cause)?.code === 'store-full';
  return problem(
    isFull ? 'store-full' : 'store-unsure',
    isFull ? 'The disk has no room for a copy of the record.' : `No copy of the record could be made: ${what}.`,
    isFull
      ? 'Nothing was changed. Free some space, then start again.'
      : 'Nothing was changed. Check the folder "backups".',
  );
}

function damagedProblem(copy: string, what: string): Problem {
  const message = `The copy ${basename(copy)} is damaged (${what}).`;
  return problem('store-corrupt', message, 'Nothing was changed. Choose an older copy.', { backup: copy });
}
