import { REGISTER_SCHEMA } from '../../coordinators/sqlite/sqlite-register.ts';
import type { Migration } from '../migrate.ts';

/** The embedded register, in the same database as the journal, so that fence and claim share a transaction. */
export const registerMigration: Migration = { version: 20, name: 'register', sql: REGISTER_SCHEMA };
