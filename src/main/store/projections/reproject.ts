import type { Database } from 'better-sqlite3';
import { change, readAll } from '../connection.ts';
import { eventOf, FOLD_ORDER } from '../journal-rows.ts';
import type { OpRow } from '../journal-rows.ts';
import { EVERYTHING } from './holds.ts';
import { projectOnAgent, projectOnRun } from './project-event.ts';

/** What stands in no run, by agent. Revisions are kept: a text belongs to its digest, whoever saved it. */
const AGENT_TABLES = ['agents', 'grants', 'triggers', 'missed_slots', 'standing_permissions', 'high_water', 'holds'];
const RUN_TABLES = ['runs', 'visits', 'attempts', 'oracle', 'approvals', 'parts', 'answers', 'refusals'];

const AGENT_OPS = `SELECT * FROM ops WHERE agent_id IS ? AND (run_id IS NULL OR kind = 'trigger.fired')`;
const RUN_OPS = 'SELECT * FROM ops WHERE run_id IN (SELECT value FROM json_each(?))';

/** Entries that are folded together: those of an agent outside its runs, or those of a run and its branches. */
export interface FoldGroup {
  readonly sql: string;
  readonly parameter: string | null;
  /** Empties what the group's entries are projected to. */
  readonly clear: (db: Database) => void;
  readonly project: typeof projectOnRun;
}

/** The entries about an agent that stand in no run, and the starts of its runs; `null`: those about no agent at all. */
export function agentGroup(agentId: string | null): FoldGroup {
  return {
    sql: AGENT_OPS,
    parameter: agentId,
    clear(db) {
      for (const table of AGENT_TABLES) change(db, `DELETE FROM ${table} WHERE agent_id = ?`, agentId ?? EVERYTHING);
      change(db, 'DELETE FROM refusals WHERE agent_id = ? AND run_id IS NULL', agentId ?? EVERYTHING);
      if (agentId === null) change(db, 'DELETE FROM sync_devices');
    },
    project: projectOnAgent,
  };
}

/** The entries of a run with all that it is a branch of and all its branches. */
export function runGroup(db: Database, runId: string): FoldGroup {
  const runIds = JSON.stringify(familyOf(db, runId));
  return {
    sql: RUN_OPS,
    parameter: runIds,
    clear(within) {
      for (const table of RUN_TABLES)
        change(within, `DELETE FROM ${table} WHERE run_id IN (SELECT value FROM json_each(?))`, runIds);
    },
    project: projectOnRun,
  };
}

/** Makes what a group is projected to again, from its entries in the order of the fold. */
export function reproject(db: Database, group: FoldGroup): void {
  group.clear(db);
  // A list, not an iterator: statements may not run while another one is being stepped on the same connection.
  for (const row of readAll<OpRow>(db, `${group.sql} ORDER BY ${FOLD_ORDER}`, group.parameter))
    group.project(db, eventOf(row), row.payload);
}

/** From the entries themselves, since what was projected of them may not be right yet. */
function familyOf(db: Database, runId: string): readonly string[] {
  const rows = readAll<{ run_id: string }>(
    db,
    `WITH RECURSIVE above (run_id) AS (
       SELECT ? UNION SELECT json_extract(payload, '$.parentRunId') FROM above
         JOIN ops INDEXED BY ops_branched ON ops.run_id = above.run_id AND kind = 'run.branched'
     ), family (run_id) AS (
       SELECT run_id FROM above UNION
       SELECT ops.run_id FROM family
         JOIN ops INDEXED BY ops_of_branches ON kind = 'run.branched' AND json_extract(payload, '$.parentRunId') = family.run_id
     ) SELECT run_id FROM family ORDER BY run_id`,
    runId,
  );
  return rows.map((row) => row.run_id);
}
