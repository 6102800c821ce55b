import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { verifyBackup } from './backup.ts';
import { flushToDisk } from './disk.ts';
import { markForNewIdentity } from './identity.ts';
import { closeQuietly, openSqlite } from './open-sqlite.ts';

/** Stands beside a database while a copy takes its place; `openDatabase` refuses for as long as it is there. */
export function restoreMarkOf(file: string): string {
  return `${file}.restoring`;
}

/**
 * Puts a copy in the place of a database and keeps what was there under another name, which it answers (`null`: nothing
 * was there). The caller holds the profile's lock and has closed the database.
 *
 * The record goes on as another device from its next start on: what it wrote after the copy was made, others may know.
 * A restored record is an older oracle, and its register may lie below epochs that were granted since. So the register gets
 * a new incarnation: every device that has seen the old one stops until a person has looked (protocol section 5, rule 7).
 */
export function restoreBackup(copy: string, file: string): Result<{ readonly kept: string | null }, Problem> {
  const damaged = verifyBackup(copy);
  if (damaged !== null) return err(damaged);
  const prepared = `${file}.restored`;
  const stamp = new Date().toISOString().replaceAll(/[:.]/gu, '-');
  const kept = existsSync(file) ? `${file}.replaced-${stamp}` : null;
  try {
    copyFileSync(copy, prepared);
    beginNewLife(prepared);
    flushToDisk(prepared);
    for (const part of ['', '-wal']) {
      if (kept === null || !existsSync(`${file}${part}`)) continue;
      copyFileSync(`${file}${part}`, `${kept}${part}`);
      // On the disk before what it was copied from is gone.
      flushToDisk(`${kept}${part}`);
    }
    // From here on a stop in between leaves neither the old record nor the new one whole, hence the mark.
    writeFileSync(restoreMarkOf(file), `${basename(copy)}\n`, { mode: 0o600, flush: true });
    flushToDisk(dirname(file));
    // A log that stayed behind would be played into the copy.
    for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
    renameSync(prepared, file);
    flushToDisk(dirname(file));
    rmSync(restoreMarkOf(file));
    return ok({ kept });
  } catch (cause) {
    rmSync(prepared, { force: true });
    const what = cause instanceof Error ? cause.message : String(cause);
    const message = `The copy ${basename(copy)} could not be put back: ${what}.`;
    return err(problem('store-unsure', message, 'Free some space or check the folder, then try once more.', { file }));
  }
}

/** No log of its own while it is prepared, so that the one file is all there is to move. */
function beginNewLife(prepared: string): void {
  const db = openSqlite(prepared, { mustExist: true });
  try {
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = FULL');
    // A copy from before an update may lack what later versions have.
    const tables = new Set(db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all());
    if (tables.has('register_identity')) db.prepare('UPDATE register_identity SET incarnation = ?').run(randomUUID());
    if (tables.has('profile')) markForNewIdentity(db, { reason: 'restored', by: '' });
  } finally {
    closeQuietly(db);
  }
}
