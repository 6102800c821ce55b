import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';

/**
 * What is the same on every device that knows the same entries, whatever the order in which they came. Left out is what a
 * device counts for itself: places in its record, the numbers of runs, and how far it followed the ends of runs.
 */
const FOLDED: Readonly<Record<string, string>> = {
  agents: '*',
  grants: '*',
  runs: `run_id, agent_id, revision_digest, request_digest, title, started_by, input, phase, state_id, state_visit, wait_until_ms,
    stop_requested, barrier_active, has_sent, is_refused, steps_done, ending, started_at_ms, ended_at_ms, last_event,
    parent_run_id, parent_state_id, parent_state_visit, branch, branch_item, device_id`,
  visits: '*',
  attempts: '*',
  oracle: '*',
  approvals: '*',
  standing_permissions: '*',
  holds: '*',
  refusals: 'agent_id, run_id, effect_key, word, reason, facts, at_ms, device_id',
  high_water: '*',
  triggers: `agent_id, kind, trigger_id, revision_digest, grant_digest, iif(kind = 'run', 0, settled_up_to), last_slot,
    last_run_id, missed_reason, missed_at_ms`,
  missed_slots: `agent_id, kind, trigger_id, slot, source, due_at_ms, first_due_at_ms, slot_count, is_more, reason, detail,
    state, run_id, is_caught_up`,
  parts: '*',
  sync_devices: '*',
  answers: '*',
};

/** SHA-256 in hexadecimal over everything that is folded: two devices that know the same entries have the same one (I7). */
export function foldHash(db: Database): string {
  const whole = createHash('sha256');
  for (const [table, columns] of Object.entries(FOLDED)) {
    const rows = createHash('sha256');
    for (const text of sortedRows(db, table, columns)) rows.update(`${text}\n`);
    whole.update(`${table} ${rows.digest('hex')}\n`);
  }
  return whole.digest('hex');
}

function sortedRows(db: Database, table: string, columns: string): readonly string[] {
  // Its own statement: one that answers in lists must not be shared with those who ask for rows.
  const rows = db.prepare(`SELECT ${columns} FROM ${table}`).raw().all();
  return rows.map((row) => JSON.stringify(row)).toSorted();
}
