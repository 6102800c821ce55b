import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';

/** How long a statement waits for another process, ms. It holds up the event loop. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Opens a connection with no setting of its own; callers outside this folder want `openDatabase`. */
export function openSqlite(
  file: string,
  options: { readonly isReadOnly?: boolean; readonly busyTimeoutMs?: number; readonly mustExist?: boolean } = {},
): Database {
  const nativeBinding = process.env['FENCEPOST_NATIVE_BINDING'];
  return new BetterSqlite(file, {
    readonly: options.isReadOnly ?? false,
    fileMustExist: options.mustExist ?? false,
    timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    ...(nativeBinding === undefined ? {} : { nativeBinding }),
  });
}

/** SQLite's own code of an error, such as `SQLITE_IOERR_FSYNC`; empty for any other error. */
export function sqliteCodeOf(cause: unknown): string {
  return cause instanceof BetterSqlite.SqliteError ? cause.code : '';
}

/** Closes a connection that is not used again either way. */
export function closeQuietly(db: Database | null): void {
  try {
    db?.close();
  } catch {
    // A connection that cannot even be closed is left to the garbage collector.
  }
}
