import { hash } from 'node:crypto';
import type { Database, Statement } from 'better-sqlite3';
import type { Digest } from '../../shared/contract/identifiers.ts';
import type { SqliteRegister } from '../coordinators/sqlite/sqlite-register.ts';
import type { Journal } from './journal.ts';

/** One open connection with what belongs to it. Replaced as a whole when the store has to be opened again. */
export interface Connection {
  readonly db: Database;
  readonly journal: Journal;
  /** The embedded register, in the same database. */
  readonly register: SqliteRegister;
}

const cache = new WeakMap<Database, Map<string, Statement>>();

/** A statement prepared once per connection. */
export function prepared(db: Database, sql: string): Statement {
  let statements = cache.get(db);
  if (statements === undefined) {
    statements = new Map();
    cache.set(db, statements);
  }
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = db.prepare(sql);
    statements.set(sql, statement);
  }
  return statement;
}

/** The first row, or `null`. The caller names the shape: the tables are STRICT and written by this folder alone. */
export function readOne<Row>(db: Database, sql: string, ...parameters: readonly unknown[]): Row | null {
  return (prepared(db, sql).get(...parameters) as Row | undefined) ?? null;
}

/** All rows. */
export function readAll<Row>(db: Database, sql: string, ...parameters: readonly unknown[]): Row[] {
  return prepared(db, sql).all(...parameters) as Row[];
}

/** Runs a statement that changes rows. */
export function change(db: Database, sql: string, ...parameters: readonly unknown[]): void {
  prepared(db, sql).run(...parameters);
}

/** SHA-256 in hexadecimal, of UTF-8 text. */
export function sha256(text: string): Digest {
  return hash('sha256', text) as Digest;
}
