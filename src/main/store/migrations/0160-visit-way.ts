import type { Migration } from '../migrate.ts';

/**
 * How a run came to each visit, and which of its visits are off its way: another holder came to them, or was taken back behind
 * them. They keep their numbers and count for nothing until the run is seen to have gone on from one of them. Visits from before
 * this do not say where they were come to from.
 */
export const visitWayMigration: Migration = {
  version: 160,
  name: 'visit-way',
  sql: `
ALTER TABLE visits ADD COLUMN is_aside INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN from_state TEXT;
ALTER TABLE visits ADD COLUMN from_visit INTEGER;
`,
};
