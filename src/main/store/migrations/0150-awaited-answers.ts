import type { Migration } from '../migrate.ts';

/**
 * Unclear attempts for which a person waits until the device that made them is heard of. It decides nothing and is about this
 * device alone: what another one does not know yet may be here already. So it is no projection and travels nowhere. One that
 * is over stays until its attempt is decided, since it says why the question is there again.
 */
export const awaitedAnswersMigration: Migration = {
  version: 150,
  name: 'awaited-answers',
  sql: `
CREATE TABLE awaited_answers (
  attempt_token TEXT PRIMARY KEY,
  device_id     TEXT NOT NULL,
  since_ms      INTEGER NOT NULL,
  ended_at_ms   INTEGER,
  ended_because TEXT
) STRICT, WITHOUT ROWID;
`,
};
