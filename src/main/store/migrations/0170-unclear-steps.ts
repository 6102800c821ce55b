import type { Migration } from '../migrate.ts';

/** Whether a step has an unclear attempt is asked with every step: it must not cost more the longer a run is. */
export const unclearStepsMigration: Migration = {
  version: 170,
  name: 'unclear-steps',
  sql: `
CREATE INDEX attempts_unclear_at ON attempts (run_id, state_id, state_visit) WHERE in_doubt_at_ms IS NOT NULL;
`,
};
