import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { backupDatabase } from './backup.ts';

/** One step of the schema. Released ones are never changed. */
export interface Migration {
  /** Rises in tens; kept in `user_version`. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Brings a database up to the newest schema; a verified copy is made first. `null` means it is there. */
export function migrate(
  db: Database,
  file: string,
  of: { readonly migrations: readonly Migration[]; readonly applicationId: number; readonly isNew: boolean },
): Problem | null {
  const version = db.pragma('user_version', { simple: true }) as number;
  const owner = db.pragma('application_id', { simple: true }) as number;
  const newest = of.migrations.at(-1)?.version ?? 0;
  if (owner !== of.applicationId && (owner !== 0 || version !== 0 || hasTables(db))) {
    return problem('store-foreign', `The file ${file} belongs to another program.`, 'Nothing was changed. Choose another data folder.');
  }
  if (version > newest) {
    return problem('store-newer', `The record was written by a newer version of Fencepost (schema ${version}; this one knows ${newest}).`, 'Nothing was changed. Install the newer version again.');
  }
  const due = of.migrations.filter((migration) => migration.version > version);
  if (due.length === 0) return null;
  if (version > 0) {
    const backup = backupDatabase(db, file, `before-schema-${newest}`);
    if (!backup.ok) return backup.error;
  }
  for (const migration of due) {
    db.transaction(() => {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
      db.pragma(`application_id = ${of.applicationId}`);
    }).immediate();
  }
  return null;
}

function hasTables(db: Database): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema LIMIT 1`).get() !== undefined;
}
