import type { Migration } from '../migrate.ts';

/**
 * The journals of other devices beside this one's. `seq` stays the place in this device's record, in the order in which
 * entries came to be known here; `journal_seq` is the place in the journal of the device that wrote it. `epoch` is the newest
 * grant that the author knew of, which orders entries before any clock. A head is where a journal of another device stands; a
 * key is the one that its entries were first signed with; what is in quarantine is not folded any further; a stale group was
 * taken in and is projected later. Two devices may number their attempts alike. The number of a run is what a person calls it
 * here, and no projection.
 */
export const journalsMigration: Migration = {
  version: 90,
  name: 'journals',
  sql: `
ALTER TABLE ops ADD COLUMN journal_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ops ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ops ADD COLUMN agent_id TEXT;
DROP TRIGGER ops_are_immutable;
UPDATE ops SET journal_seq = seq,
  agent_id = coalesce(json_extract(payload, '$.agentId'), json_extract(payload, '$.effect.agentId'));
CREATE TRIGGER ops_are_immutable BEFORE UPDATE ON ops BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE INDEX ops_of_agent ON ops (agent_id) WHERE run_id IS NULL OR kind = 'trigger.fired';
CREATE INDEX ops_branched ON ops (run_id) WHERE kind = 'run.branched';
CREATE INDEX ops_of_branches ON ops (json_extract(payload, '$.parentRunId')) WHERE kind = 'run.branched';

CREATE TABLE journals (
  device_id   TEXT PRIMARY KEY,
  journal_seq INTEGER NOT NULL,
  op_id       TEXT NOT NULL,
  wall_ms     INTEGER NOT NULL,
  counter     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE signatures (
  device_id   TEXT NOT NULL,
  journal_seq INTEGER NOT NULL,
  op_id       TEXT NOT NULL,
  signature   TEXT NOT NULL,
  PRIMARY KEY (device_id, journal_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_keys (
  device_id  TEXT PRIMARY KEY,
  public_key TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_devices (
  device_id       TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  version         TEXT NOT NULL,
  public_key      TEXT NOT NULL,
  wrap_public_key TEXT NOT NULL,
  joined_at_ms    INTEGER NOT NULL,
  let_go_at_ms    INTEGER,
  let_go_by       TEXT,
  let_go_up_to    INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (
  op_id      TEXT PRIMARY KEY,
  agent_id   TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  payload    TEXT NOT NULL,
  device_id  TEXT NOT NULL,
  at_ms      INTEGER NOT NULL,
  place      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_agent ON answers (agent_id, place);
CREATE INDEX answers_by_run ON answers (run_id);

CREATE TABLE quarantines (
  device_id   TEXT PRIMARY KEY,
  reason      TEXT NOT NULL,
  journal_seq INTEGER NOT NULL,
  facts       TEXT NOT NULL,
  at_ms       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE stale_groups (
  kind TEXT NOT NULL,
  id   TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_numbers (
  run_number INTEGER PRIMARY KEY,
  run_id     TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO run_numbers (run_number, run_id) SELECT run_number, run_id FROM runs;

CREATE TABLE trigger_cursors (
  agent_id   TEXT NOT NULL,
  trigger_id TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  PRIMARY KEY (agent_id, trigger_id)
) STRICT, WITHOUT ROWID;
INSERT INTO trigger_cursors (agent_id, trigger_id, seq)
  SELECT agent_id, trigger_id, settled_up_to FROM triggers WHERE kind = 'run';

ALTER TABLE approvals ADD COLUMN decided_under INTEGER NOT NULL DEFAULT 0;

DROP INDEX attempts_by_effect;
CREATE INDEX attempts_by_effect ON attempts (run_id, effect_key, attempt_number);
`,
};
