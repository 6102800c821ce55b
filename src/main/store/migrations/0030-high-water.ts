import type { Migration } from '../migrate.ts';

/** That a register went back is remembered across restarts, until a person has looked. */
export const highWaterMigration: Migration = {
  version: 30,
  name: 'high-water',
  sql: 'ALTER TABLE high_water ADD COLUMN went_back_at_ms INTEGER;',
};
