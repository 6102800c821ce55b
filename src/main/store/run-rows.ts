import type { Database } from 'better-sqlite3';
import { change, prepared, readAll, readOne } from './connection.ts';
import { runNumberOf } from './run-numbers.ts';

/** What is projected of runs, children of a run behind it. */
export const RUN_TABLES = [
  'runs',
  'visits',
  'attempts',
  'oracle',
  'approvals',
  'parts',
  'answers',
  'refusals',
] as const;

type RunTable = (typeof RUN_TABLES)[number];
type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/** All rows of some runs, without what each record counts for itself: the number of a run, and the place of a refusal. */
export type RunRows = Readonly<Record<RunTable, readonly Row[]>>;

/** What a record counts for itself. */
const OWN_COLUMNS: Readonly<Partial<Record<RunTable, string>>> = { runs: 'run_number', refusals: 'seq' };
/** Which attempt came later is told by the order of their rows. */
const ORDERED_BY: Readonly<Partial<Record<RunTable, string>>> = {
  attempts: ' ORDER BY rowid',
  refusals: ' ORDER BY seq',
};

/** What is projected of these runs. */
export function readRows(db: Database, runIds: readonly string[]): RunRows {
  const ids = JSON.stringify(runIds);
  const read = (table: RunTable): readonly Row[] => {
    const sql = `SELECT * FROM ${table} WHERE run_id IN (SELECT value FROM json_each(?))${ORDERED_BY[table] ?? ''}`;
    const own = OWN_COLUMNS[table];
    return readAll<Record<string, Value>>(db, sql, ids).map((row) => {
      if (own === undefined) return row;
      const { [own]: _own, ...others } = row;
      return others;
    });
  };
  return Object.fromEntries(RUN_TABLES.map((table) => [table, read(table)])) as unknown as RunRows;
}

/** Empties what is projected of these runs. */
export function clearRows(db: Database, runIds: readonly string[]): void {
  const ids = JSON.stringify(runIds);
  for (const table of RUN_TABLES)
    change(db, `DELETE FROM ${table} WHERE run_id IN (SELECT value FROM json_each(?))`, ids);
}

/**
 * Writes rows as `readRows` gave them, where none of these runs has any. Columns that another version left out get their
 * default. @throws Error for a column that this version does not know, and SqliteError for a value that does not fit.
 */
export function writeRows(db: Database, rows: RunRows): void {
  for (const table of RUN_TABLES) {
    const known = columnsOf(db, table);
    for (const row of rows[table]) writeRow(db, { table, row, known });
  }
}

function writeRow(
  db: Database,
  { table, row, known }: { readonly table: RunTable; readonly row: Row; readonly known: ReadonlySet<string> },
): void {
  const names = Object.keys(row).toSorted();
  const unknown = names.find((name) => !known.has(name) || name === OWN_COLUMNS[table]);
  if (unknown !== undefined) throw new Error(`The column ${unknown} of ${table} is not known here.`);
  const own = OWN_COLUMNS[table];
  const columns = own === undefined ? names : [own, ...names];
  const values = names.map((name) => row[name] ?? null);
  const all = own === undefined ? values : [ownValue(db, table, row), ...values];
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(',')})`;
  prepared(db, sql).run(...all);
}

function ownValue(db: Database, table: RunTable, row: Row): number {
  if (table === 'runs') return runNumberOf(db, String(row['run_id']));
  // Before every place of an entry, so that none of those is taken.
  const least = readOne<{ seq: number | null }>(db, 'SELECT min(seq) AS seq FROM refusals')?.seq ?? 0;
  return Math.min(0, least) - 1;
}

function columnsOf(db: Database, table: RunTable): ReadonlySet<string> {
  return new Set(
    readAll<{ name: string }>(db, `SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name),
  );
}
