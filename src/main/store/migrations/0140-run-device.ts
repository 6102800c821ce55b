import type { Migration } from '../migrate.ts';

/**
 * Which device took a run on last: the one that ended it, else the one that sent something of it, else the one that began it.
 * Runs are looked for by that and by when they began. Empty where the entries that would say it are on no device any more.
 */
export const runDeviceMigration: Migration = {
  version: 140,
  name: 'run-device',
  sql: `
ALTER TABLE runs ADD COLUMN device_id TEXT NOT NULL DEFAULT '';
UPDATE runs SET device_id = coalesce((SELECT device_id FROM ops WHERE ops.run_id = runs.run_id
  AND kind IN ('trigger.fired', 'run.branched', 'effect.started', 'run.ended') ORDER BY seq DESC LIMIT 1), '');
CREATE INDEX runs_by_start ON runs (started_at_ms) WHERE parent_run_id IS NULL;
CREATE INDEX runs_by_device ON runs (device_id, started_at_ms) WHERE parent_run_id IS NULL;
`,
};
