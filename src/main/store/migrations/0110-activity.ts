import type { Migration } from '../migrate.ts';

/**
 * What a run writes at every step. All other kinds are seldom, and an index finds them among a million of these. It names the
 * frequent ones, so that a kind that comes later is found as well. Part of a released migration: never changed.
 */
export const FREQUENT_KINDS: readonly string[] = [
  'trigger.fired',
  'run.entered',
  'run.ended',
  'intent.recorded',
  'gate.decided',
  'claim.decided',
  'claim.extended',
  'fence.decided',
  'effect.started',
  'settle.recorded',
  'successor.released',
];

/** The condition of the index, for whoever wants it used. */
export const IS_SELDOM = `kind NOT IN (${FREQUENT_KINDS.map((kind) => `'${kind}'`).join(', ')})`;

/**
 * Looking through the record by device, agent and kind without reading what the entries say; and where each journal ends,
 * for an export. The first grows at one end only, so that a commit writes one page more.
 */
export const activityMigration: Migration = {
  version: 110,
  name: 'activity',
  sql: `
CREATE INDEX ops_of_device ON ops (device_id, seq, agent_id, kind);
CREATE INDEX ops_seldom ON ops (kind, seq, agent_id, device_id) WHERE ${IS_SELDOM};
`,
};
