import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { compareFoldPlaces } from '../../../shared/core/sync/fold-order.ts';
import type { FoldPlace } from '../../../shared/core/sync/fold-order.ts';
import { laterHybridTime } from '../../../shared/core/sync/hybrid-clock.ts';
import { checkLink } from '../../../shared/core/sync/operation.ts';
import type { ChainProblem, Operation } from '../../../shared/core/sync/operation.ts';
import { isBelowCompacted, runsOf } from '../compacted-runs.ts';
import { change, readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { readJournalHead, writeJournalHead } from '../foreign-journals.ts';
import { aboutOf, FOLD_ORDER, operationOf } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { noteGrant } from '../newest-grants.ts';
import { projectRows, reproject } from '../projections/reproject.ts';
import type { FoldGroup } from '../projections/reproject.ts';
import { groupOf } from '../stale-groups.ts';
import { isStale, NO_AGENT, noteStale } from '../stale-names.ts';
import type { StaleName } from '../stale-names.ts';
import type { Touched } from '../journal.ts';

/** What came of entries of another device. */
export type FoldResult =
  | { readonly kind: 'folded'; readonly count: number }
  /** One of them does not continue that journal: nothing from there on was folded. */
  | { readonly kind: 'broken'; readonly count: number; readonly problem: ChainProblem }
  /** One of them comes before a run that was condensed: neither it nor anything behind it was folded. */
  | { readonly kind: 'too-late'; readonly count: number; readonly seq: number };

/**
 * Takes entries of another device's journal into this record and folds them. Entries that are here already are passed over;
 * signatures were checked before. Whatever the order in which journals arrive, the projections come out the same: entries
 * that come last of their group are applied, and a group that others came late for is projected again from its beginning.
 * `isLater`: they are only taken in, and their groups are projected once, by `projectStale`, when all of them are here.
 */
export function foldOperations(
  connection: Connection,
  deviceId: DeviceId,
  operations: readonly Operation[],
  isLater = false,
): FoldResult {
  const { journal, db } = connection;
  if (deviceId === journal.deviceId) return { kind: 'folded', count: 0 };
  const before = readJournalHead(db, deviceId);
  const rows: OpRow[] = [];
  let head = before;
  let problem: ChainProblem | null = null;
  let tooLate: number | null = null;
  for (const operation of operations) {
    if (operation.seq <= head.seq && operation.deviceId === deviceId) continue;
    problem = checkLink(head, operation, sha256);
    if (problem !== null) break;
    if (isTooLate(db, operation)) {
      tooLate = operation.seq;
      break;
    }
    rows.push(insertOperation(connection, operation, journal.head.seq + rows.length + 1));
    head = { deviceId, seq: operation.seq, opId: operation.opId, time: laterHybridTime(head.time, operation.time) };
  }
  const last = rows.at(-1);
  if (last !== undefined) {
    writeJournalHead(db, head);
    const touched = project(connection, rows, isLater);
    journal.advance({ seq: last.seq, time: head.time }, touched);
  }
  if (tooLate !== null) return { kind: 'too-late', count: rows.length, seq: tooLate };
  return problem === null ? { kind: 'folded', count: rows.length } : { kind: 'broken', count: rows.length, problem };
}

/** Whether an entry comes before a run that was condensed here, which nobody writes who keeps to the order. */
export function isTooLate(db: Connection['db'], operation: Operation): boolean {
  if (readOne(db, 'SELECT 1 FROM compacted_runs LIMIT 1') === null) return false;
  const { kind, payload } = operation;
  const { runId } = aboutOf(JSON.parse(payload));
  return isBelowCompacted(db, { runIds: runsOf({ kind, run_id: runId, payload }), place: operation });
}

/** Puts an entry into the record at a place of it, without projecting it. Inside a write of the store. */
export function insertOperation({ db }: Pick<Connection, 'db'>, operation: Operation, seq: number): OpRow {
  const { runId, agentId } = aboutOf(JSON.parse(operation.payload));
  const row: OpRow = {
    seq,
    op_id: operation.opId,
    prev_hash: operation.prevHash,
    device_id: operation.deviceId as DeviceId,
    wall_ms: operation.time.wallMs,
    counter: operation.time.counter,
    kind: operation.kind,
    run_id: runId,
    payload: operation.payload,
    journal_seq: operation.seq,
    epoch: operation.epoch,
    agent_id: agentId,
  };
  change(
    db,
    `INSERT INTO ops (seq, op_id, prev_hash, device_id, wall_ms, counter, kind, run_id, payload, journal_seq, epoch, agent_id)
     VALUES (@seq, @op_id, @prev_hash, @device_id, @wall_ms, @counter, @kind, @run_id, @payload, @journal_seq, @epoch, @agent_id)`,
    row,
  );
  if (agentId !== null && operation.epoch > 0) noteGrant(db, agentId, operation.epoch);
  return row;
}

/** Projects new entries, group by group. Answers the runs and agents that they are about. */
function project({ db }: Connection, rows: readonly OpRow[], isLater: boolean): Touched {
  const touched = { runIds: new Set<string>(), agentIds: new Set<string>() };
  const first = rows[0]?.seq ?? 0;
  const groups = new Map<string, Gathered>();
  const named = new Map<string, FoldGroup>();
  const put = (name: StaleName, row: OpRow): void => {
    if (isLater || isStale(db, name)) return noteStale(db, name);
    const called = `${name.kind} ${name.id}`;
    const group = named.get(called) ?? groupOf(db, name);
    named.set(called, group);
    const key = `${name.kind} ${group.parameter ?? ''}`;
    const known = groups.get(key) ?? { group, rows: [] };
    known.rows.push(row);
    groups.set(key, known);
  };
  for (const row of rows) {
    const { run_id: runId, agent_id: agentId } = row;
    if (agentId !== null) touched.agentIds.add(agentId);
    if (runId !== null) touched.runIds.add(runId);
    if (runId === null || row.kind === 'trigger.fired') put({ kind: 'agent', id: agentId ?? NO_AGENT }, row);
    if (runId !== null) put({ kind: 'run', id: runId }, row);
  }
  for (const gathered of groups.values()) projectGroup(db, gathered, first);
  return touched;
}

interface Gathered {
  readonly group: FoldGroup;
  readonly rows: OpRow[];
}

function projectGroup(db: Connection['db'], { group, rows }: Gathered, first: number): void {
  const inOrder = rows.toSorted((one, other) => compareFoldPlaces(placeOf(one), placeOf(other)));
  const newest = newestBefore(db, group, first);
  const [earliest] = inOrder;
  const isLate = newest !== null && earliest !== undefined && compareFoldPlaces(placeOf(earliest), newest) < 0;
  if (isLate) return reproject(db, group);
  group.keep(db);
  projectRows(db, group, inOrder);
}

/** The last entry of a group, in the order of the fold, that was here before place `seq`. */
function newestBefore(db: Connection['db'], group: FoldGroup, seq: number): FoldPlace | null {
  const descending = FOLD_ORDER.split(', ')
    .map((column) => `${column} DESC`)
    .join(', ');
  const row = readOne<OpRow>(db, `${group.sql} AND seq < ? ORDER BY ${descending} LIMIT 1`, group.parameter, seq);
  return row === null ? null : placeOf(row);
}

function placeOf(row: OpRow): FoldPlace {
  return operationOf(row);
}
