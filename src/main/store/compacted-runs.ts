import type { Database } from 'better-sqlite3';
import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import { compareFoldPlaces } from '../../shared/core/sync/fold-order.ts';
import type { FoldPlace } from '../../shared/core/sync/fold-order.ts';
import { change, readAll, readOne } from './connection.ts';
import type { OpRow } from './journal-rows.ts';
import { readRows, writeRows } from './run-rows.ts';
import type { RunRows } from './run-rows.ts';

/** A run whose single entries were dropped, as the record keeps it. */
export interface CompactedRun {
  readonly run_id: string;
  readonly root_run_id: string;
  readonly epoch: number;
  readonly wall_ms: number;
  readonly counter: number;
  readonly op_id: string;
  readonly at_ms: number;
  /** How many entries of it were dropped. */
  readonly entries: number;
  /** JSON; the devices that wrote about it, in order. */
  readonly devices: string;
}

/** Leaves out entries that a condensed run holds already: those that stay for other reasons are not projected twice. */
export const NOT_COMPACTED = `NOT EXISTS (SELECT 1 FROM compacted_runs AS compacted WHERE compacted.run_id = ops.run_id
  AND (ops.epoch, ops.wall_ms, ops.counter, ops.op_id)
    <= (compacted.epoch, compacted.wall_ms, compacted.counter, compacted.op_id))`;

/** `null` where all entries of a run that are known are here. */
export function findCompacted(db: Database, runId: string): CompactedRun | null {
  return readOne<CompactedRun>(db, 'SELECT * FROM compacted_runs WHERE run_id = ?', runId);
}

function placeOfCompacted(run: CompactedRun): FoldPlace {
  return { epoch: run.epoch, time: { wallMs: run.wall_ms, counter: run.counter }, opId: run.op_id };
}

/**
 * Whether an entry would come before what was condensed: then what was made of it could not be told any more. Nobody who
 * keeps to the order writes such a one (ADR 0018).
 */
export function isBelowCompacted(db: Database, of: { readonly runIds: readonly string[]; readonly place: FoldPlace }) {
  return of.runIds.some((runId) => {
    const compacted = findCompacted(db, runId);
    return compacted !== null && compareFoldPlaces(of.place, placeOfCompacted(compacted)) <= 0;
  });
}

/** The runs that an entry changes: its own, and the one that it is a branch of. */
export function runsOf(row: Pick<OpRow, 'kind' | 'run_id' | 'payload'>): readonly string[] {
  if (row.run_id === null) return [];
  if (row.kind !== 'run.branched') return [row.run_id];
  const parent: unknown = Reflect.get(JSON.parse(row.payload) as object, 'parentRunId');
  return typeof parent === 'string' ? [row.run_id, parent] : [row.run_id];
}

/** Keeps how a condensed run stands before the first entry behind it changes that. Inside a write of the store. */
export function keepBase(db: Database, runIds: readonly string[]): void {
  for (const runId of runIds) {
    const root = findCompacted(db, runId)?.root_run_id;
    if (root === undefined || readBase(db, root) !== null) continue;
    writeBase(db, root, readRows(db, familyOfRoot(db, root)));
  }
}

/** Puts a condensed run back to how it stood; answers false where nothing has changed it since. */
export function restoreBase(db: Database, root: string): boolean {
  const base = readBase(db, root);
  if (base === null) return false;
  writeRows(db, base);
  return true;
}

/** How a condensed run stood when it was, whatever came behind that. */
export function baseOf(db: Database, root: string): RunRows {
  return readBase(db, root) ?? readRows(db, familyOfRoot(db, root));
}

/** A run that was condensed with all its branches. */
export function familyOfRoot(db: Database, root: string): readonly string[] {
  const sql = 'SELECT run_id FROM compacted_runs WHERE root_run_id = ? ORDER BY run_id';
  return readAll<{ run_id: string }>(db, sql, root).map((row) => row.run_id);
}

/** The condensed runs that something came behind. */
export function changedRoots(db: Database): readonly string[] {
  const sql = 'SELECT root_run_id AS root FROM compacted_bases ORDER BY root_run_id';
  return readAll<{ root: string }>(db, sql).map((row) => row.root);
}

/** Notes a run as condensed, or again where something came behind it. Inside a write of the store. */
export function noteCompacted(db: Database, run: CompactedRun): void {
  change(
    db,
    `INSERT INTO compacted_runs (run_id, root_run_id, epoch, wall_ms, counter, op_id, at_ms, entries, devices)
     VALUES (@run_id, @root_run_id, @epoch, @wall_ms, @counter, @op_id, @at_ms, @entries, @devices)
     ON CONFLICT (run_id) DO UPDATE SET root_run_id = excluded.root_run_id, epoch = excluded.epoch, wall_ms = excluded.wall_ms,
       counter = excluded.counter, op_id = excluded.op_id, at_ms = excluded.at_ms, entries = entries + excluded.entries,
       devices = excluded.devices`,
    run,
  );
  change(db, 'DELETE FROM compacted_bases WHERE root_run_id = ?', run.root_run_id);
}

function readBase(db: Database, root: string): RunRows | null {
  const sql = 'SELECT content FROM compacted_bases WHERE root_run_id = ?';
  const row = readOne<{ content: string }>(db, sql, root);
  return row === null ? null : (JSON.parse(row.content) as RunRows);
}

function writeBase(db: Database, root: string, rows: RunRows): void {
  const sql = 'INSERT INTO compacted_bases (root_run_id, content) VALUES (?,?)';
  change(db, sql, root, canonicalJson(rows));
}
