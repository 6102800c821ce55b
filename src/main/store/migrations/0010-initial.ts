import type { Migration } from '../migrate.ts';

/**
 * The journal, the blobs it refers to, and its projections. Only `ops`, `blobs`, `profile` and the register are
 * authoritative: every other table can be dropped and made again from `ops`. The third trigger of `ops` is for INSERT OR
 * REPLACE, which takes a row away without asking the first two.
 */
export const initialMigration: Migration = {
  version: 10,
  name: 'initial',
  sql: `
CREATE TABLE profile (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE ops (
  seq       INTEGER PRIMARY KEY,
  op_id     TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  device_id TEXT NOT NULL,
  wall_ms   INTEGER NOT NULL,
  counter   INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  run_id    TEXT,
  payload   TEXT NOT NULL
) STRICT;
CREATE INDEX ops_by_run ON ops (run_id, seq) WHERE run_id IS NOT NULL;
CREATE TRIGGER ops_are_immutable BEFORE UPDATE ON ops BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER ops_are_kept BEFORE DELETE ON ops BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER ops_are_not_replaced BEFORE INSERT ON ops WHEN EXISTS (SELECT 1 FROM ops WHERE seq = new.seq) BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TABLE blobs (
  digest TEXT PRIMARY KEY,
  body   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
  agent_id        TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  description     TEXT NOT NULL,
  revision_digest TEXT NOT NULL,
  saved_at_ms     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE revisions (
  revision_digest TEXT PRIMARY KEY,
  agent_id        TEXT NOT NULL,
  source          TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
  grant_digest    TEXT PRIMARY KEY,
  agent_id        TEXT NOT NULL,
  revision_digest TEXT NOT NULL,
  grant_number    INTEGER NOT NULL,
  given_at_ms     INTEGER NOT NULL,
  given_by        TEXT NOT NULL,
  revoked_at_ms   INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX one_active_grant ON grants (agent_id) WHERE revoked_at_ms IS NULL;

CREATE TABLE runs (
  run_number      INTEGER PRIMARY KEY,
  run_id          TEXT NOT NULL UNIQUE,
  agent_id        TEXT NOT NULL,
  revision_digest TEXT NOT NULL,
  request_digest  TEXT NOT NULL,
  title           TEXT NOT NULL,
  started_by      TEXT NOT NULL,
  input           TEXT NOT NULL,
  phase           TEXT NOT NULL,
  state_id        TEXT NOT NULL,
  state_visit     INTEGER NOT NULL,
  wait_until_ms   INTEGER,
  stop_requested  INTEGER NOT NULL DEFAULT 0,
  barrier_active  INTEGER NOT NULL DEFAULT 0,
  has_sent        INTEGER NOT NULL DEFAULT 0,
  is_refused      INTEGER NOT NULL DEFAULT 0,
  steps_done      INTEGER NOT NULL DEFAULT 0,
  ending          TEXT,
  started_at_ms   INTEGER NOT NULL,
  ended_at_ms     INTEGER,
  last_event      TEXT NOT NULL
) STRICT;
CREATE INDEX runs_open ON runs (agent_id) WHERE ending IS NULL;
CREATE INDEX runs_by_agent ON runs (agent_id, run_number);

CREATE TABLE visits (
  run_id      TEXT NOT NULL,
  state_id    TEXT NOT NULL,
  visit       INTEGER NOT NULL,
  is_released INTEGER NOT NULL DEFAULT 0,
  output      TEXT,
  PRIMARY KEY (run_id, state_id, visit)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  attempt_token  TEXT PRIMARY KEY,
  agent_id       TEXT NOT NULL,
  run_id         TEXT NOT NULL,
  effect_key     TEXT NOT NULL,
  attempt_number INTEGER NOT NULL,
  state_id       TEXT NOT NULL,
  state_visit    INTEGER NOT NULL,
  intent         TEXT NOT NULL,
  input_digest   TEXT NOT NULL,
  progress       TEXT NOT NULL DEFAULT 'never-started',
  owner          TEXT,
  epoch          INTEGER NOT NULL DEFAULT 0,
  until_boot_id  TEXT,
  until_boot_ms  REAL,
  output_digest  TEXT,
  outcome        TEXT,
  settled_by     TEXT,
  started_at_ms  INTEGER,
  in_doubt_at_ms INTEGER,
  probe          TEXT,
  probed_at_ms   INTEGER,
  evidence       TEXT,
  is_reopened    INTEGER NOT NULL DEFAULT 0,
  decision       TEXT,
  decided_at_ms  INTEGER
) STRICT;
CREATE UNIQUE INDEX attempts_by_effect ON attempts (run_id, effect_key, attempt_number);
CREATE INDEX attempts_open ON attempts (agent_id) WHERE progress <> 'settled';
CREATE INDEX attempts_unclear ON attempts (in_doubt_at_ms) WHERE in_doubt_at_ms IS NOT NULL;

CREATE TABLE oracle (
  agent_id   TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  effect_key TEXT NOT NULL,
  op_id      TEXT NOT NULL,
  PRIMARY KEY (agent_id, run_id, effect_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE approvals (
  approval_id     TEXT PRIMARY KEY,
  agent_id        TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  state_id        TEXT NOT NULL,
  state_visit     INTEGER NOT NULL,
  of_state_id     TEXT NOT NULL,
  input_digest    TEXT NOT NULL,
  request         TEXT NOT NULL,
  asked_at_ms     INTEGER NOT NULL,
  expires_at_ms   INTEGER NOT NULL,
  state           TEXT NOT NULL DEFAULT 'open',
  decided_by      TEXT,
  decided_at_ms   INTEGER,
  reason          TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_by_run ON approvals (run_id);
CREATE INDEX approvals_open ON approvals (asked_at_ms) WHERE state = 'open';

CREATE TABLE refusals (
  seq        INTEGER PRIMARY KEY,
  agent_id   TEXT NOT NULL,
  run_id     TEXT,
  effect_key TEXT,
  word       TEXT NOT NULL,
  reason     TEXT NOT NULL,
  facts      TEXT NOT NULL,
  at_ms      INTEGER NOT NULL
) STRICT;

CREATE TABLE high_water (
  agent_id       TEXT PRIMARY KEY,
  coordinator_id TEXT NOT NULL,
  incarnation    TEXT NOT NULL,
  epoch          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_by_status ON runs (agent_id, phase, ending, barrier_active, is_refused);
CREATE INDEX runs_by_revision ON runs (agent_id, revision_digest, started_at_ms);
CREATE INDEX runs_ended ON runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
CREATE INDEX ops_without_run ON ops (seq) WHERE run_id IS NULL;
CREATE INDEX ops_by_output ON ops (json_extract(payload, '$.output.digest'))
  WHERE kind IN ('settle.recorded', 'settle.late-evidence');
CREATE INDEX attempts_by_input ON attempts (input_digest);
CREATE INDEX attempts_decided ON attempts (decided_at_ms) WHERE decided_at_ms IS NOT NULL;
CREATE INDEX approvals_by_input ON approvals (input_digest);
CREATE INDEX approvals_decided ON approvals (decided_at_ms) WHERE decided_at_ms IS NOT NULL;
CREATE INDEX refusals_grouped ON refusals (agent_id, word, reason, run_id, at_ms);
CREATE INDEX refusals_at ON refusals (at_ms);
`,
};

/** The tables that can be dropped and made again from the journal, children first. */
export const PROJECTION_TABLES = [
  'agents',
  'revisions',
  'grants',
  'runs',
  'visits',
  'attempts',
  'oracle',
  'approvals',
  'standing_permissions',
  'holds',
  'refusals',
  'high_water',
  'triggers',
  'missed_slots',
  'parts',
  'sync_devices',
  'answers',
] as const;
