import type { Migration } from '../migrate.ts';

/**
 * Runs whose single entries were dropped, with the place of the last one in the fold: what is projected of them stays, and
 * nothing may come before it any more; `devices` wrote about it (JSON). A base is how such a run stood before something came behind that. A cut is the last
 * entry of a journal below which some are missing, so that the chain goes on from it. The newest grant of an agent that any
 * entry here names orders what is written next, whatever is projected. An entry can only be dropped below both a condensed
 * run and a cut, and never the newest one of its journal or the start of a run.
 */
export const compactionMigration: Migration = {
  version: 100,
  name: 'compaction',
  sql: `
CREATE TABLE newest_grants (
  agent_id TEXT PRIMARY KEY,
  epoch    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO newest_grants (agent_id, epoch) SELECT agent_id, max(epoch) FROM ops WHERE agent_id IS NOT NULL GROUP BY agent_id;

CREATE TABLE journal_cuts (
  device_id   TEXT PRIMARY KEY,
  journal_seq INTEGER NOT NULL,
  op_id       TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER journal_cuts_do_not_go_back BEFORE UPDATE ON journal_cuts WHEN new.journal_seq < old.journal_seq BEGIN
  SELECT RAISE(ABORT, 'a cut does not go back');
END;
CREATE TRIGGER journal_cuts_are_kept BEFORE DELETE ON journal_cuts BEGIN SELECT RAISE(ABORT, 'a cut is kept'); END;

CREATE TABLE compacted_runs (
  run_id      TEXT PRIMARY KEY,
  root_run_id TEXT NOT NULL,
  epoch       INTEGER NOT NULL,
  wall_ms     INTEGER NOT NULL,
  counter     INTEGER NOT NULL,
  op_id       TEXT NOT NULL,
  at_ms       INTEGER NOT NULL,
  entries     INTEGER NOT NULL,
  devices     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX compacted_by_root ON compacted_runs (root_run_id);
CREATE TRIGGER compacted_runs_are_kept BEFORE DELETE ON compacted_runs BEGIN
  SELECT RAISE(ABORT, 'a condensed run is kept');
END;

CREATE TABLE compacted_bases (
  root_run_id TEXT PRIMARY KEY,
  content     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

DROP TRIGGER ops_are_kept;
CREATE TRIGGER ops_are_kept BEFORE DELETE ON ops WHEN old.run_id IS NULL OR old.kind = 'trigger.fired'
  OR NOT EXISTS (SELECT 1 FROM compacted_runs AS compacted WHERE compacted.run_id = old.run_id
    AND (old.epoch, old.wall_ms, old.counter, old.op_id)
      <= (compacted.epoch, compacted.wall_ms, compacted.counter, compacted.op_id))
  OR NOT EXISTS (SELECT 1 FROM journal_cuts AS cut WHERE cut.device_id = old.device_id AND old.journal_seq <= cut.journal_seq)
  OR NOT EXISTS (SELECT 1 FROM ops AS later WHERE later.seq > old.seq AND later.device_id = old.device_id
    AND later.journal_seq > old.journal_seq)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`,
};
