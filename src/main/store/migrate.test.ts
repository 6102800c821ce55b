import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backupDatabase, BACKUPS_KEPT, verifyBackup } from './backup.ts';
import { openDatabase, PROFILE_APPLICATION_ID } from './database.ts';
import { listBackups } from './list-backups.ts';
import { migrate, schemaProblem } from './migrate.ts';
import type { Migration } from './migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openSqlite } from './open-sqlite.ts';
import { restoreBackup, restoreMarkOf } from './restore-backup.ts';
import { must, problemOf, useTemporaryFolders } from './testing/temporary-folder.ts';

const FIRST: Migration = { version: 10, name: 'first', sql: 'CREATE TABLE notes (text TEXT NOT NULL) STRICT' };
const SECOND: Migration = { version: 20, name: 'second', sql: 'ALTER TABLE notes ADD COLUMN author TEXT' };
const newFolder = useTemporaryFolders();

function makeFile(migrations: readonly Migration[] = [FIRST]): string {
  const file = join(newFolder(), 'store.sqlite');
  const db = must(openDatabase(file, { migrations }));
  if (migrations.includes(FIRST)) db.exec(`INSERT INTO notes (text) VALUES ('kept')`);
  db.close();
  return file;
}

it('a file that another process is making at this moment is taken for a foreign one', () => {
  const file = join(newFolder(), 'store.sqlite');
  const schema = { migrations: [FIRST], applicationId: PROFILE_APPLICATION_ID };
  const db = openSqlite(file);
  const other = openSqlite(file, { busyTimeoutMs: 0 });
  const read = db.pragma.bind(db);
  let tries = 0;
  // The other process comes between two looks.
  db.pragma = (source, options) => {
    const value = read(source, options);
    if (source === 'application_id' && (tries += 1) === 1) migrate(other, file, schema);
    return value;
  };
  expect(schemaProblem(db, file, schema)).toBeNull();
  expect(tries).toBe(1);
  other.close();
  db.close();
});

describe('migrations', () => {
  it('bring an old record forward, behind a verified copy of it as it was', () => {
    const file = makeFile();
    const db = must(openDatabase(file, { migrations: [FIRST, SECOND] }));
    expect(db.pragma('user_version', { simple: true })).toBe(20);
    expect(db.prepare('SELECT * FROM notes').all()).toEqual([{ text: 'kept', author: null }]);
    db.close();
    const [copy = '', ...others] = listBackups(file);
    expect(others).toEqual([]);
    expect(copy).toContain('before-schema-20');
    expect(verifyBackup(copy)).toBeNull();
    const old = openSqlite(copy, { isReadOnly: true });
    expect(old.pragma('user_version', { simple: true })).toBe(10);
    old.close();
  });

  it('make no copy of a new record, nor when there is nothing to do', () => {
    const file = makeFile([FIRST, SECOND]);
    must(openDatabase(file, { migrations: [FIRST, SECOND] })).close();
    expect(existsSync(join(dirname(file), 'backups'))).toBe(false);
  });

  it('leave the last whole version when one of them fails', () => {
    const file = makeFile();
    const broken = {
      version: 30,
      name: 'broken',
      sql: 'CREATE TABLE half (x) STRICT; CREATE TABLE other (x TEXT) STRICT',
    };
    const failure = problemOf(openDatabase(file, { migrations: [FIRST, SECOND, broken] }));
    expect(failure).toMatchObject({ code: 'internal', details: { migration: 30 } });
    const db = must(openDatabase(file, { migrations: [FIRST, SECOND] }));
    expect(db.pragma('user_version', { simple: true })).toBe(20);
    expect(db.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'kept' }]);
    db.close();
  });

  it('are not begun when the copy cannot be made', () => {
    const file = makeFile();
    writeFileSync(join(dirname(file), 'backups'), 'a file where the folder should be');
    expect(problemOf(openDatabase(file, { migrations: [FIRST, SECOND] })).message).toContain('No copy of the record');
    const db = openSqlite(file, { isReadOnly: true });
    expect(db.pragma('user_version', { simple: true })).toBe(10);
    db.close();
  });

  it('are not run twice when another process comes first', () => {
    const file = makeFile();
    const [one, other] = [
      must(openDatabase(file, { migrations: [FIRST] })),
      must(openDatabase(file, { migrations: [FIRST] })),
    ];
    const schema = { migrations: [FIRST, SECOND], applicationId: PROFILE_APPLICATION_ID };
    let looks = 0;
    // Looked at for the second time once it is clear that it is due: the other process runs it at that moment.
    const late: Migration = {
      ...SECOND,
      get version() {
        looks += 1;
        if (looks === 2) expect(migrate(other, file, schema)).toBeNull();
        return SECOND.version;
      },
    };
    expect(migrate(one, file, { ...schema, migrations: [FIRST, late] })).toBeNull();
    expect(looks).toBeGreaterThan(2);
    expect(one.pragma('user_version', { simple: true })).toBe(20);
    one.close();
    other.close();
  });

  it('of this program rise, and make a record that opens again', () => {
    const file = makeFile(MIGRATIONS);
    const db = must(openDatabase(file, { migrations: MIGRATIONS }));
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.at(-1)?.version);
    db.close();
    const unsorted = openDatabase(join(newFolder(), 'store.sqlite'), { migrations: [SECOND, FIRST] });
    expect(problemOf(unsorted).message).toContain('does not come after');
  });
});

describe('copies', () => {
  it('are kept up to a number, the newest first', () => {
    const file = makeFile();
    const db = must(openDatabase(file, { migrations: [FIRST] }));
    const made = Array.from({ length: BACKUPS_KEPT + 3 }, (_, index) =>
      must(backupDatabase(db, file, { label: `manual-${String(index).padStart(2, '0')}` })),
    );
    db.close();
    expect(listBackups(file)).toEqual(made.toReversed().slice(0, BACKUPS_KEPT));
    expect(made.slice(0, 3).some((copy) => existsSync(`${copy}.sha256`))).toBe(false);
  });

  it('are not trusted when they are not what was written', () => {
    const file = makeFile();
    const db = must(openDatabase(file, { migrations: [FIRST] }));
    const copy = must(backupDatabase(db, file, { label: 'manual' }));
    db.close();
    expect(readFileSync(`${copy}.sha256`, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/u);
    truncateSync(copy, 4_096);
    expect(verifyBackup(copy)?.code).toBe('store-corrupt');
    expect(problemOf(restoreBackup(copy, file)).code).toBe('store-corrupt');
    must(openDatabase(file, { migrations: [FIRST] })).close();
  });
});

describe('a copy put back', () => {
  it('begins a new life of the register, so that no device takes it for the one it has seen', () => {
    const file = makeFile(MIGRATIONS);
    const db = must(openDatabase(file, { migrations: MIGRATIONS }));
    db.exec(`INSERT INTO register_identity VALUES (1, 'coordinator', 'first-life')`);
    db.exec(`INSERT INTO profile VALUES ('note', 'before')`);
    const copy = must(backupDatabase(db, file, { label: 'manual' }));
    db.exec(`UPDATE profile SET value = 'after'`);
    db.close();
    const { kept } = must(restoreBackup(copy, file));
    const restored = must(openDatabase(file, { migrations: MIGRATIONS }));
    expect(restored.prepare(`SELECT value FROM profile WHERE key = 'note'`).get()).toEqual({ value: 'before' });
    const identity = restored.prepare('SELECT coordinator_id, incarnation FROM register_identity').get();
    expect(identity).toMatchObject({ coordinator_id: 'coordinator' });
    expect(identity).not.toMatchObject({ incarnation: 'first-life' });
    restored.close();
    const before = openSqlite(kept ?? '', { isReadOnly: true });
    expect(before.prepare(`SELECT value FROM profile WHERE key = 'note'`).get()).toEqual({ value: 'after' });
    before.close();
  });

  it('keeps the log of the damaged record beside it, and never plays it into the copy', () => {
    const file = makeFile();
    const db = must(openDatabase(file, { migrations: [FIRST] }));
    const copy = must(backupDatabase(db, file, { label: 'manual' }));
    db.exec(`INSERT INTO notes VALUES ('only in the log')`);
    const log = readFileSync(`${file}-wal`);
    db.close();
    truncateSync(file, 100);
    writeFileSync(`${file}-wal`, log);
    const { kept } = must(restoreBackup(copy, file));
    expect(readFileSync(`${kept}-wal`).equals(log)).toBe(true);
    const restored = must(openDatabase(file, { migrations: [FIRST] }));
    expect(restored.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'kept' }]);
    restored.close();
  });

  it('is asked for again when putting it back was interrupted, rather than half believed', () => {
    const file = makeFile();
    writeFileSync(restoreMarkOf(file), 'copy\n');
    expect(problemOf(openDatabase(file, { migrations: [FIRST] }))).toMatchObject({ code: 'store-corrupt' });
  });
});
