import { existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { isSafeSqlite, openDatabase, openReadOnly, problemOfSqlite, PROFILE_APPLICATION_ID } from './database.ts';
import { syncedFolderHint } from './disk.ts';
import { openSqlite } from './open-sqlite.ts';
import { runtimeProblem } from './runtime.ts';
import { canMakeDisks, makeReadOnlyFolder, makeSmallDisk } from './testing/small-disk.ts';
import { must, problemOf, useTemporaryFolders } from './testing/temporary-folder.ts';

const MIGRATIONS = [{ version: 10, name: 'first', sql: 'CREATE TABLE notes (text TEXT NOT NULL) STRICT' }];
const newFolder = useTemporaryFolders();
const opened: Database[] = [];

afterEach(() => {
  for (const db of opened.splice(0)) db.close();
});

function open(file: string): Database {
  const db = must(openDatabase(file, { migrations: MIGRATIONS }));
  opened.push(db);
  return db;
}

/** A closed database with something in it. */
function makeFile(rows = 1): string {
  const file = join(newFolder(), 'store.sqlite');
  const db = must(openDatabase(file, { migrations: MIGRATIONS }));
  for (let row = 0; row < rows; row++) db.prepare('INSERT INTO notes VALUES (?)').run(`${row}`.repeat(500));
  db.close();
  return file;
}

function refuse(file: string) {
  return problemOf(openDatabase(file, { migrations: MIGRATIONS }));
}

describe('durability', () => {
  it('is kept by the second and every later connection, not only by the one that made the file', () => {
    const file = join(newFolder(), 'store.sqlite');
    for (const connection of [open(file), open(file), open(file)]) {
      expect(connection.pragma('synchronous', { simple: true })).toBe(2);
      expect(connection.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(connection.pragma('foreign_keys', { simple: true })).toBe(1);
      expect(connection.pragma('trusted_schema', { simple: true })).toBe(0);
      expect(connection.pragma('cell_size_check', { simple: true })).toBe(1);
      expect(connection.pragma('mmap_size', { simple: true })).toBe(0);
      expect(connection.pragma('application_id', { simple: true })).toBe(PROFILE_APPLICATION_ID);
    }
  });

  it.skipIf(process.platform === 'win32')('keeps the record from other people on the machine, log included', () => {
    const file = join(newFolder(), 'store.sqlite');
    open(file).exec(`INSERT INTO notes VALUES ('secret')`);
    for (const part of ['', '-wal', '-shm']) expect(statSync(`${file}${part}`).mode & 0o077, part).toBe(0);
  });
});

describe('a file that is not ours to write', () => {
  // temporalio/temporal#7919, temporalio/temporal#5532
  it('is left alone when a newer version wrote it, which is said', () => {
    const file = makeFile();
    const newer = openSqlite(file);
    newer.pragma('user_version = 990');
    newer.close();
    const { code, message } = refuse(file);
    expect(code).toBe('store-newer');
    expect(message).toContain('written by a newer version of Fencepost (form 990');
  });

  it('is not even switched to a write-ahead log when it belongs to another program', () => {
    const file = join(newFolder(), 'store.sqlite');
    const foreign = openSqlite(file);
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    expect(refuse(file).code).toBe('store-foreign');
    const again = openSqlite(file);
    expect(again.pragma('journal_mode', { simple: true })).toBe('delete');
    again.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});

describe('a damaged file', () => {
  it.each([
    ['cut in half', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 8_192) * 4_096)],
    ['cut in the middle of a page', (file: string) => truncateSync(file, statSync(file).size - 1_000)],
    ['overwritten', (file: string) => writeFileSync(file, 'This is not a database. '.repeat(100))],
    ['overwritten from the second page on', (file: string) => overwrite(file, 4_096)],
  ])('that was %s is refused, named, and left as it is', (_what, damage) => {
    const file = makeFile(100);
    damage(file);
    const bytes = statSync(file).size;
    const { code, message, wayOut, details } = refuse(file);
    expect(code).toBe('store-corrupt');
    expect(message).toContain('store.sqlite is damaged');
    expect(wayOut).toContain('Keep the file');
    expect(details).toEqual({ file, backup: null });
    expect(statSync(file).size).toBe(bytes);
  });

  it('is not acted on after a crash when an index lacks a row, which would not be found any more', () => {
    const file = makeFile();
    const db = openSqlite(file, { mustExist: true });
    opened.push(db);
    db.unsafeMode();
    db.exec('CREATE INDEX notes_by_text ON notes (text)');
    const sql = `SELECT rootpage FROM sqlite_schema WHERE name = 'notes_by_text'`;
    const { rootpage } = db.prepare(sql).get() as { rootpage: number };
    // As if it had missed a change: it is not there for a moment, and a row becomes another.
    const forget = `PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = 'notes_by_text'; PRAGMA writable_schema = RESET;`;
    db.exec(forget);
    db.exec(`UPDATE notes SET text = 'missed'`);
    db.exec(`PRAGMA writable_schema = 1; INSERT INTO sqlite_schema VALUES
      ('index', 'notes_by_text', 'notes', ${rootpage}, 'CREATE INDEX notes_by_text ON notes (text)'); PRAGMA writable_schema = RESET;`);
    expect(db.pragma('quick_check', { simple: true })).toBe('ok');
    // Its log is still there, as after a crash.
    expect(refuse(file)).toMatchObject({ code: 'store-corrupt' });
  });

  it('can still be looked into, and only that', () => {
    const file = makeFile();
    const newer = openSqlite(file);
    newer.pragma('user_version = 990');
    newer.close();
    const db = must(openReadOnly(file));
    opened.push(db);
    expect(db.prepare('SELECT count(*) AS rows FROM notes').get()).toEqual({ rows: 1 });
    expect(() => db.exec('DELETE FROM notes')).toThrow(/readonly/u);
  });

  it('does not begin anew in place of a record that vanished or was emptied', () => {
    const file = makeFile();
    const copy = join(file, '..', 'backups', 'store.sqlite.2026-11-29.manual.sqlite');
    mkdirSync(join(file, '..', 'backups'));
    writeFileSync(copy, '');
    truncateSync(file, 0);
    expect(refuse(file)).toMatchObject({ code: 'store-corrupt', details: { backup: copy } });
    rmSync(file);
    expect(refuse(file).wayOut).toContain(copy);
    expect(existsSync(file)).toBe(false);
  });

  it('is not made anew when it was there a moment ago', () => {
    const file = join(newFolder(), 'store.sqlite');
    expect(problemOf(openDatabase(file, { migrations: MIGRATIONS, mustExist: true })).code).toBe('store-unsure');
    expect(existsSync(file)).toBe(false);
  });
});

describe('a folder or a disk that cannot hold the record', () => {
  it('is named when it may only be read', () => {
    const { folder, remove } = makeReadOnlyFolder();
    expect(refuse(join(folder, 'store.sqlite'))).toMatchObject({ code: 'folder-read-only' });
    remove();
  });

  it('is named when it does not exist, or is a file', () => {
    const folder = newFolder();
    expect(refuse(join(folder, 'missing', 'store.sqlite')).code).toBe('folder-read-only');
    writeFileSync(join(folder, 'file'), '');
    expect(refuse(join(folder, 'file', 'store.sqlite')).code).toBe('folder-read-only');
    mkdirSync(join(folder, 'store.sqlite'));
    expect(refuse(join(folder, 'store.sqlite')).code).toBe('store-unsure');
  });

  it('turns a full database into a sentence about the disk', () => {
    const db = open(join(newFolder(), 'store.sqlite'));
    db.pragma('max_page_count = 4');
    expect(catching(() => fill(db))).toMatchObject({ code: 'store-full' });
  });

  it.runIf(canMakeDisks)('says that a disk is full, when opening and when writing', () => {
    const disk = makeSmallDisk(1_048_576);
    try {
      const db = must(openDatabase(join(disk.folder, 'store.sqlite'), { migrations: MIGRATIONS }));
      disk.fill();
      expect(catching(() => fill(db))).toMatchObject({ code: 'store-full' });
      db.close();
      const other = refuse(join(disk.folder, 'other.sqlite'));
      expect(other.code, other.message).toBe('store-full');
      disk.free();
      must(openDatabase(join(disk.folder, 'store.sqlite'), { migrations: MIGRATIONS })).close();
    } finally {
      disk.remove();
    }
  });

  it('is guessed from the path when a cloud program keeps it in step', () => {
    expect(syncedFolderHint('/Users/anna/Library/Mobile Documents/fencepost')).toContain('cloud program');
    expect(syncedFolderHint('/home/anna/OneDrive - Firm/fencepost')).toContain('cloud program');
    expect(syncedFolderHint('/home/anna/.config/fencepost')).toBeNull();
  });
});

// WiseLibs/better-sqlite3#1514
describe('a runtime that would crash', () => {
  it.each([
    [{ node: '20.20.0', napi: '9', electron: undefined }, false, 'needs Node 22.14 or newer'],
    [{ node: '22.13.1', napi: '9', electron: undefined }, true, 'needs Node 22.14 or newer'],
    [{ node: '20.18.1', napi: '9', electron: '33.2.1' }, false, 'needs a build of SQLite of its own'],
    [{ node: '20.9.0', napi: '9', electron: '31.0.0' }, true, 'needs Electron 33 or newer'],
  ])('is told so instead (%j, own build: %s)', (versions, hasOwnBinding, words) => {
    expect(runtimeProblem(versions, hasOwnBinding)).toMatchObject({ code: 'runtime-too-old' });
    expect(runtimeProblem(versions, hasOwnBinding)?.message).toContain(words);
  });

  it.each([
    [{ node: '22.14.0', napi: '10', electron: undefined }, false],
    [{ node: '20.18.1', napi: '9', electron: '33.2.1' }, true],
    [{ node: '24.2.0', napi: '10', electron: '45.5.0' }, false],
  ])('is not seen in one that works (%j, own build: %s)', (versions, hasOwnBinding) => {
    expect(runtimeProblem(versions, hasOwnBinding)).toBeNull();
  });

  it('knows which SQLite has the fault', () => {
    expect(['3.51.3', '3.52.0', '3.53.2', '4.0.0'].map(isSafeSqlite)).toEqual([true, true, true, true]);
    expect(['3.51.2', '3.40.1', '2.99.9', ''].map(isSafeSqlite)).toEqual([false, false, false, false]);
  });
});

function overwrite(file: string, from: number): void {
  const bytes = statSync(file).size;
  truncateSync(file, from);
  writeFileSync(file, new Uint8Array(bytes - from).fill(0xab), { flag: 'a' });
}

function fill(db: Database): void {
  for (let row = 0; row < 1_000; row++) db.prepare('INSERT INTO notes VALUES (?)').run('x'.repeat(2_000));
}

function catching(job: () => void): unknown {
  try {
    job();
  } catch (cause) {
    return problemOfSqlite(cause);
  }
  return null;
}
