import { registerMigration } from './0020-register.ts';
import { initialMigration } from './0010-initial.ts';
import type { Migration } from '../migrate.ts';

/** All migrations, oldest first. A released one is never changed. */
export const MIGRATIONS: readonly Migration[] = [initialMigration, registerMigration];
