import { basename, dirname } from 'node:path';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { newestBackup } from './list-backups.ts';
import { diskFullProblem, syncedFolderHint } from './disk.ts';
import { sqliteCodeOf } from './open-sqlite.ts';

/** The longest text of SQLite that is passed on to a person, in characters. */
const DETAIL_LIMIT = 200;

/**
 * The sentence for an error of SQLite after which nobody knows what reached the disk; `null` for an error of a statement,
 * which is a fault of the program and changed nothing.
 */
export function problemOfSqlite(cause: unknown): Problem | null {
  const code = sqliteCodeOf(cause);
  if (code.startsWith('SQLITE_FULL')) return diskFullProblem();
  if (code.startsWith('SQLITE_READONLY')) {
    return problem(
      'store-read-only',
      'The record cannot be written: its file, folder or disk is read-only.',
      'Nothing is sent meanwhile. Make the data folder writable again.',
    );
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return problem('store-busy', 'Another program is using the record.', 'Nothing was sent. Close the other program.');
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return problem(
      'store-corrupt',
      'The record is damaged.',
      'Nothing is sent. Keep the file, and put back the newest copy from the folder "backups" beside it.',
    );
  }
  if (/^SQLITE_(?:IOERR|CANTOPEN|PROTOCOL|NOMEM|NOLFS|PERM)/u.test(code)) {
    return problem(
      'store-unsure',
      'The disk reported an error, so nobody knows what was written.',
      'Nothing is sent. The record is being opened again and checked.',
    );
  }
  return null;
}

/** The record does not read back. Says where the newest copy is, if there is one. */
export function corruptProblem(file: string, what: string): Problem {
  const backup = newestBackup(file);
  const wayOut = [
    'Nothing was changed. Keep the file',
    backup === null ? '; there is no copy of it yet.' : `, and put back the newest copy: ${backup}.`,
    ` ${syncedFolderHint(dirname(file)) ?? ''}`,
  ];
  return problem(
    'store-corrupt',
    `The record ${basename(file)} is damaged (${what.slice(0, DETAIL_LIMIT)}).`,
    wayOut.join('').trim(),
    { file, backup },
  );
}

/** The record cannot be opened at all: a permission, a lock, or a disk that fails. */
export function openingProblem(file: string, cause: unknown): Problem {
  const what = cause instanceof Error ? cause.message : String(cause);
  const known = problemOfSqlite(cause);
  if (known?.code === 'store-corrupt') return corruptProblem(file, what);
  if (known !== null && known.code !== 'store-unsure') return { ...known, details: { file } };
  return problem(
    'store-unsure',
    `The record ${basename(file)} could not be opened: ${what.slice(0, DETAIL_LIMIT)}.`,
    'Nothing was changed. Check the file, its permissions and its disk, then start again.',
    { file },
  );
}
