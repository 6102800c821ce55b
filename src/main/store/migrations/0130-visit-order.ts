import type { Migration } from '../migrate.ts';

/**
 * In which order a run came to its visits. A run that is taken back to one of them comes to those behind it anew, under the
 * same numbers. Visits from before there was an order stay where they are.
 */
export const visitOrderMigration: Migration = {
  version: 130,
  name: 'visit-order',
  sql: `
ALTER TABLE visits ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
CREATE INDEX visits_in_order ON visits (run_id, place);
`,
};
