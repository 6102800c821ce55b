import type { Migration } from '../migrate.ts';

/**
 * The runs list counts runs of their own by how they stand; without the first it would read every run for that. The second
 * finds what a step of several parts gave by its digest.
 */
export const runsWindowMigration: Migration = {
  version: 70,
  name: 'runs-window',
  sql: `
CREATE INDEX runs_of_their_own ON runs (agent_id, phase, ending, barrier_active, is_refused) WHERE parent_run_id IS NULL;
CREATE INDEX ops_concluded ON ops (json_extract(payload, '$.output.digest')) WHERE kind = 'run.concluded';
`,
};
