import type { Migration } from '../migrate.ts';

/**
 * The triggers that count, up to where each is settled, and what they missed. The index finds the ends of runs without a
 * look at all that lies between them.
 */
export const triggersMigration: Migration = {
  version: 50,
  name: 'triggers',
  sql: `
CREATE TABLE triggers (
  agent_id         TEXT NOT NULL,
  kind             TEXT NOT NULL,
  trigger_id       TEXT NOT NULL,
  revision_digest  TEXT NOT NULL,
  grant_digest     TEXT NOT NULL,
  settled_up_to    INTEGER NOT NULL,
  last_slot        TEXT,
  last_run_id      TEXT,
  missed_reason    TEXT,
  missed_at_ms     INTEGER,
  PRIMARY KEY (agent_id, kind, trigger_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE missed_slots (
  agent_id        TEXT NOT NULL,
  kind            TEXT NOT NULL,
  trigger_id      TEXT NOT NULL,
  slot            TEXT NOT NULL,
  seq             INTEGER NOT NULL,
  source          TEXT,
  due_at_ms       INTEGER NOT NULL,
  first_due_at_ms INTEGER NOT NULL,
  slot_count      INTEGER NOT NULL,
  is_more         INTEGER NOT NULL,
  reason          TEXT NOT NULL,
  detail          TEXT NOT NULL,
  state           TEXT NOT NULL,
  run_id          TEXT,
  is_caught_up    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_id, kind, trigger_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX missed_by_sequence ON missed_slots (seq);
CREATE INDEX missed_waiting ON missed_slots (agent_id, kind, trigger_id, due_at_ms) WHERE state = 'waiting';
CREATE INDEX missed_caught_up ON missed_slots (run_id) WHERE is_caught_up = 1;

CREATE INDEX ops_run_ended ON ops (seq) WHERE kind = 'run.ended';
`,
};
