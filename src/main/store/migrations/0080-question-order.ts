import type { Migration } from '../migrate.ts';

/**
 * Where each question stands in the journal. The time at which it was asked does not tell which of two is the newer one: it
 * stands still while a calendar that was set back catches up, and the newest answer is the one that counts.
 */
export const questionOrderMigration: Migration = {
  version: 80,
  name: 'question-order',
  sql: `
ALTER TABLE approvals ADD COLUMN asked_seq INTEGER NOT NULL DEFAULT 0;
UPDATE approvals SET asked_seq = coalesce((SELECT max(asked.seq) FROM ops AS asked
  WHERE asked.kind = 'approval.requested' AND asked.run_id = approvals.run_id
    AND json_extract(asked.payload, '$.approvalId') = approvals.approval_id), 0);
`,
};
