import type { Database } from 'better-sqlite3';
import { findCompacted, keepBase, NOT_COMPACTED, restoreBase } from '../compacted-runs.ts';
import { change, readAll, readOne } from '../connection.ts';
import { eventOf, FOLD_ORDER } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { clearRows } from '../run-rows.ts';
import { noteStaleAfter } from '../stale-names.ts';
import { EVERYTHING } from './holds.ts';
import { projectOnAgent, projectOnRun } from './project-event.ts';

/** What stands in no run, by agent. Revisions are kept: a text belongs to its digest, whoever saved it. */
const AGENT_TABLES = ['agents', 'grants', 'triggers', 'missed_slots', 'standing_permissions', 'high_water', 'holds'];

const AGENT_OPS = `SELECT * FROM ops WHERE agent_id IS ? AND (run_id IS NULL OR kind = 'trigger.fired')`;
const RUN_OPS = `SELECT * FROM ops WHERE run_id IN (SELECT value FROM json_each(?)) AND ${NOT_COMPACTED}`;

/** Entries that are folded together: those of an agent outside its runs, or those of a run and its branches. */
export interface FoldGroup {
  readonly sql: string;
  readonly parameter: string | null;
  /** Empties what the group's entries are projected to. */
  readonly clear: (db: Database) => void;
  readonly project: typeof projectOnRun;
  /** Keeps what cannot be made again from entries, before one that is new changes it. */
  readonly keep: (db: Database) => void;
}

/** The entries about an agent that stand in no run, and the starts of its runs; `null`: those about no agent at all. */
export function agentGroup(agentId: string | null): FoldGroup {
  return {
    sql: AGENT_OPS,
    parameter: agentId,
    clear(db) {
      for (const table of AGENT_TABLES) change(db, `DELETE FROM ${table} WHERE agent_id = ?`, agentId ?? EVERYTHING);
      change(db, 'DELETE FROM refusals WHERE agent_id = ? AND run_id IS NULL', agentId ?? EVERYTHING);
      if (agentId === null) clearSyncDevices(db);
    },
    project: projectOnAgent,
    keep: () => undefined,
  };
}

/** Who was let go may turn out otherwise: what did not count because of it is looked at again. */
function clearSyncDevices(db: Database): void {
  const sql = 'SELECT device_id AS deviceId, let_go_up_to AS upTo FROM sync_devices WHERE let_go_up_to IS NOT NULL';
  for (const { deviceId, upTo } of readAll<{ deviceId: string; upTo: number }>(db, sql))
    noteStaleAfter(db, deviceId, upTo);
  change(db, 'DELETE FROM sync_devices');
}

/** The entries of a run with all that it is a branch of and all its branches. */
export function runGroup(db: Database, runId: string): FoldGroup {
  const family = familyOf(db, runId);
  return {
    sql: RUN_OPS,
    parameter: JSON.stringify(family),
    clear(within) {
      // What was condensed is where the entries that are left go on from.
      keepBase(within, family);
      clearRows(within, family);
      const roots = new Set(family.flatMap((each) => findCompacted(within, each)?.root_run_id ?? []));
      for (const root of roots) restoreBase(within, root);
    },
    project: projectOnRun,
    keep: (within) => keepBase(within, family),
  };
}

/** Makes what a group is projected to again, from its entries in the order of the fold. */
export function reproject(db: Database, group: FoldGroup): void {
  group.clear(db);
  // A list, not an iterator: statements may not run while another one is being stepped on the same connection.
  projectRows(db, group, readAll<OpRow>(db, `${group.sql} ORDER BY ${FOLD_ORDER}`, group.parameter));
}

/**
 * Projects entries of a group that are in the order of the fold, but for those that a device wrote after it was let go: they
 * count nowhere, also where they came in before that was known. Of two devices that let each other go, the first one did.
 */
export function projectRows(db: Database, group: FoldGroup, rows: readonly OpRow[]): void {
  // Who was let go is told by entries about no agent; while those are projected it changes from one to the next.
  const anyLetGo = 'SELECT 1 FROM sync_devices WHERE let_go_up_to IS NOT NULL LIMIT 1';
  const mayBeVoid = group.parameter === null || readOne(db, anyLetGo) !== null;
  for (const row of rows) if (!mayBeVoid || counts(db, row)) group.project(db, eventOf(row), row.payload);
}

function counts(db: Database, { device_id: deviceId, journal_seq: seq }: OpRow): boolean {
  // A device that was let go goes on by itself: in its own record what it writes counts.
  const sql = `SELECT 1 FROM sync_devices WHERE device_id = ? AND let_go_up_to < ?
    AND device_id <> (SELECT value FROM profile WHERE key = 'device-id')`;
  return readOne(db, sql, deviceId, seq) === null;
}

/** From the entries themselves, since what was projected of them may not be right yet; and what was condensed together. */
export function familyOf(db: Database, runId: string): readonly string[] {
  const rows = readAll<{ run_id: string }>(
    db,
    `WITH RECURSIVE above (run_id) AS (
       SELECT ? UNION SELECT json_extract(payload, '$.parentRunId') FROM above
         JOIN ops INDEXED BY ops_branched ON ops.run_id = above.run_id AND kind = 'run.branched'
       UNION SELECT root_run_id FROM above JOIN compacted_runs USING (run_id)
     ), family (run_id) AS (
       SELECT run_id FROM above UNION
       SELECT ops.run_id FROM family
         JOIN ops INDEXED BY ops_of_branches ON kind = 'run.branched' AND json_extract(payload, '$.parentRunId') = family.run_id
       UNION SELECT compacted_runs.run_id FROM family JOIN compacted_runs ON root_run_id = family.run_id
     ) SELECT run_id FROM family ORDER BY run_id`,
    runId,
  );
  return rows.map((row) => row.run_id);
}
