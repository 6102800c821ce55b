import type { Migration } from '../migrate.ts';

/**
 * Branches of a run are runs of their own that name the run, the state and the visit they belong to. An output that is too
 * long to stand in its visit is found by its digest. Parts are what a model answered and what its calls came to.
 */
export const branchesMigration: Migration = {
  version: 40,
  name: 'branches',
  sql: `
ALTER TABLE runs ADD COLUMN parent_run_id TEXT;
ALTER TABLE runs ADD COLUMN parent_state_id TEXT;
ALTER TABLE runs ADD COLUMN parent_state_visit INTEGER;
ALTER TABLE runs ADD COLUMN branch TEXT;
ALTER TABLE runs ADD COLUMN branch_item TEXT;
CREATE INDEX runs_by_parent ON runs (parent_run_id, parent_state_id, parent_state_visit) WHERE parent_run_id IS NOT NULL;

ALTER TABLE visits ADD COLUMN output_digest TEXT;

CREATE TABLE parts (
  run_id     TEXT NOT NULL,
  effect_key TEXT NOT NULL,
  summary    TEXT NOT NULL,
  output     TEXT,
  digest     TEXT,
  PRIMARY KEY (run_id, effect_key)
) STRICT, WITHOUT ROWID;
`,
};
