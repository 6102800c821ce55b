import type { Migration } from '../migrate.ts';

/**
 * Permissions with devices and an end, answers bound to a device and a lease, standing permissions, and pauses of an agent
 * or of everything (its row has an empty agent id, which no agent can have).
 */
export const grantsMigration: Migration = {
  version: 60,
  name: 'grants',
  sql: `
ALTER TABLE grants ADD COLUMN devices TEXT NOT NULL DEFAULT '*';
ALTER TABLE grants ADD COLUMN expires_at_ms INTEGER;
ALTER TABLE grants ADD COLUMN expired_at_ms INTEGER;
CREATE INDEX grants_by_agent ON grants (agent_id, grant_number);
CREATE INDEX grants_ending ON grants (expires_at_ms)
  WHERE expires_at_ms IS NOT NULL AND revoked_at_ms IS NULL AND expired_at_ms IS NULL;

ALTER TABLE approvals ADD COLUMN device_id TEXT;
ALTER TABLE approvals ADD COLUMN epoch INTEGER;
ALTER TABLE approvals ADD COLUMN standing_id TEXT;
ALTER TABLE approvals ADD COLUMN stale_reason TEXT;

CREATE TABLE standing_permissions (
  standing_id   TEXT PRIMARY KEY,
  approval_id   TEXT NOT NULL,
  agent_id      TEXT NOT NULL,
  grant_digest  TEXT NOT NULL,
  of_state_id   TEXT NOT NULL,
  tool          TEXT NOT NULL,
  target        TEXT NOT NULL,
  input_digest  TEXT,
  device_id     TEXT NOT NULL,
  given_at_ms   INTEGER NOT NULL,
  given_by      TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX standing_by_agent ON standing_permissions (agent_id) WHERE revoked_at_ms IS NULL;

CREATE TABLE holds (
  agent_id   TEXT PRIMARY KEY,
  held_at_ms INTEGER NOT NULL,
  held_by    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
