import type { Migration } from '../migrate.ts';

/**
 * Which device held back: refusals are looked for by that and by when they were, and the same no of two devices is told as two.
 * Empty where the entry that would say it is on no device any more. Both indexes hold all that a list is grouped by.
 */
export const refusalDeviceMigration: Migration = {
  version: 200,
  name: 'refusal-device',
  sql: `
ALTER TABLE refusals ADD COLUMN device_id TEXT NOT NULL DEFAULT '';
UPDATE refusals SET device_id = coalesce((SELECT device_id FROM ops WHERE ops.seq = refusals.seq), '');
DROP INDEX refusals_grouped;
CREATE INDEX refusals_grouped ON refusals (agent_id, word, reason, run_id, device_id, at_ms);
CREATE INDEX refusals_of_device ON refusals (device_id, at_ms, agent_id, word, reason, run_id);
`,
};
