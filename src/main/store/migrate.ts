import { basename } from 'node:path';
import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { backupDatabase } from './backup.ts';
import { sqliteCodeOf } from './open-sqlite.ts';
import { openingProblem, problemOfSqlite } from './sqlite-problem.ts';

/** One step of the schema. Released ones are never changed. */
export interface Migration {
  /** Rises in tens; kept in `user_version`. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** What a database should be. */
export interface Schema {
  readonly migrations: readonly Migration[];
  readonly applicationId: number;
}

/** Why a database is not this program's to write, asked before anything of it is changed; `null` if it is. */
export function schemaProblem(db: Database, file: string, schema: Schema): Problem | null {
  // One look at one moment: another process may be making the file right now, and half of that looks foreign.
  const { version, owner, isEmpty } = db.transaction(() => readMarks(db)).deferred();
  if (owner !== schema.applicationId && !isEmpty) {
    const message = `The file ${basename(file)} belongs to another program.`;
    return problem('store-foreign', message, 'Nothing was changed. Choose another data folder.', { file });
  }
  return version > newestOf(schema) ? newerProblem(version, newestOf(schema)) : null;
}

function readMarks(db: Database): { readonly version: number; readonly owner: number; readonly isEmpty: boolean } {
  const version = versionOf(db);
  const owner = db.pragma('application_id', { simple: true }) as number;
  return { version, owner, isEmpty: owner === 0 && version === 0 && !hasTables(db) };
}

/** Brings a database up to the newest schema, after a verified copy of it. `null` means it is there. */
export function migrate(db: Database, file: string, schema: Schema): Problem | null {
  const newest = newestOf(schema);
  const version = versionOf(db);
  const due = schema.migrations.filter((migration) => migration.version > version);
  if (due.length === 0) return null;
  if (version > 0) {
    const backup = backupDatabase(db, file, { label: `before-schema-${newest}` });
    if (!backup.ok) return backup.error;
  }
  for (const migration of due) {
    const failure = apply(db, file, { migration, schema });
    if (failure !== null) return failure;
  }
  return null;
}

/** One migration, one transaction, so that a stop in between leaves a database of one whole version or the other. */
function apply(
  db: Database,
  file: string,
  { migration, schema }: { readonly migration: Migration; readonly schema: Schema },
): Problem | null {
  try {
    return db
      .transaction(() => {
        // Looked at again under the lock: another process may have come first.
        const version = versionOf(db);
        if (version > newestOf(schema)) return newerProblem(version, newestOf(schema));
        if (version >= migration.version) return null;
        db.exec(migration.sql);
        db.pragma(`application_id = ${schema.applicationId}`);
        db.pragma(`user_version = ${migration.version}`);
        return null;
      })
      .immediate();
  } catch (cause) {
    if (problemOfSqlite(cause) !== null) return openingProblem(file, cause);
    const what = cause instanceof Error ? cause.message : String(cause);
    return problem(
      'internal',
      `The record could not be brought to the form this version needs (step ${migration.version}, ${migration.name}: ${what}).`,
      'Nothing was changed by that step. Start the version that was used before, and report this.',
      { file, migration: migration.version, code: sqliteCodeOf(cause) },
    );
  }
}

function newerProblem(version: number, newest: number): Problem {
  return problem(
    'store-newer',
    `The record was written by a newer version of Fencepost (form ${version}; this version knows ${newest}).`,
    'Nothing was changed. Start the newer version again.',
    { version, newest },
  );
}

function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** @throws Error for migrations that do not rise, which is a bug: one of them would never run. */
function newestOf({ migrations }: Schema): number {
  let newest = 0;
  for (const { version, name } of migrations) {
    if (version <= newest) throw new Error(`Migration ${version} (${name}) does not come after ${newest}.`);
    newest = version;
  }
  return newest;
}

function hasTables(db: Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}
