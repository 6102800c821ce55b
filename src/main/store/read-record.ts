import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { checkLinkOverGaps } from '../../shared/core/sync/operation.ts';
import { devicesOfRecord } from './activity-places.ts';
import { readAll, readOne, sha256 } from './connection.ts';
import { CHECK_ALWAYS_BYTES } from './database.ts';
import { readCut } from './journal-cuts.ts';
import { operationOf } from './journal-rows.ts';
import type { OpRow } from './journal-rows.ts';
import { chainSentence } from './chain-words.ts';

/** So much is looked at before others have their turn. */
const ENTRIES_AT_ONCE = 100;
const TEXTS_AT_ONCE = 4;

/** What one stretch of a check came to. */
export interface Stretch {
  /** Entries and texts that were looked at. */
  readonly read: number;
  readonly faults: readonly string[];
}

/** How many entries and texts there are. */
export function sizeOfRecord(db: Database): number {
  const count = (table: string): number =>
    readOne<{ count: number }>(db, `SELECT count(*) AS count FROM ${table}`)?.count ?? 0;
  return count('ops') + count('blobs');
}

/**
 * Looks at everything that cannot be made again: that each entry says what its id says and continues the one before it,
 * that each long text is the one it is called by, and, where that does not take long, at the file itself. A stretch at a
 * time, each of one moment of the record, which is written to meanwhile. @throws SqliteError where it cannot be read.
 */
export function* readRecord(db: Database): Generator<Stretch> {
  for (const device of devicesOfRecord(db)) yield* readJournal(db, device);
  yield* readTexts(db);
  if (isFileRead(db)) yield* readTables(db);
}

/** Whether the file itself is looked at as well: a large one would hold up the agents for too long. */
export function isFileRead(db: Database): boolean {
  return (statSync(db.name, { throwIfNoEntry: false })?.size ?? 0) <= CHECK_ALWAYS_BYTES;
}

function* readJournal(db: Database, deviceId: string): Generator<Stretch> {
  let head = { deviceId, seq: 0, opId: '' };
  const page = `SELECT * FROM ops WHERE device_id = ? AND seq > ? ORDER BY seq LIMIT ${ENTRIES_AT_ONCE}`;
  for (let after = 0; ;) {
    const look = db.transaction(() => ({
      rows: readAll<OpRow>(db, page, deviceId, after),
      cut: readCut(db, deviceId),
    }));
    const { rows, cut } = look.deferred();
    const faults: string[] = [];
    for (const row of rows) {
      const found = checkLinkOverGaps(head, operationOf(row), { cut, digest: sha256 });
      if (found !== null) faults.push(chainSentence(found));
      head = { deviceId, seq: row.journal_seq, opId: row.op_id };
    }
    if (rows.length === 0 && head.seq < cut.seq) faults.push(`Entry ${cut.seq} and what comes after it are missing.`);
    yield { read: rows.length, faults };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

function* readTexts(db: Database): Generator<Stretch> {
  const page = `SELECT digest, body FROM blobs WHERE digest > ? ORDER BY digest LIMIT ${TEXTS_AT_ONCE}`;
  for (let after = ''; ;) {
    const rows = readAll<{ digest: string; body: string }>(db, page, after);
    const changed = rows.filter(({ digest, body }) => sha256(body) !== digest);
    yield {
      read: rows.length,
      faults: changed.map(({ digest }) => `The text ${digest.slice(0, 12)} was changed: its digest does not fit it.`),
    };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.digest;
  }
}

function* readTables(db: Database): Generator<Stretch> {
  for (const { name } of readAll<{ name: string }>(db, `SELECT name FROM sqlite_schema WHERE type = 'table'`)) {
    const said = db.pragma(`integrity_check('${name.replaceAll("'", "''")}')`, { simple: true });
    yield { read: 0, faults: said === 'ok' ? [] : [`The file: ${String(said)}.`] };
  }
}
