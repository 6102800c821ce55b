import type { Database } from 'better-sqlite3';
import { change, readOne } from './connection.ts';

/** A small value of this profile that is no event: a setting, a choice, this device's id. */
export function readProfile(db: Database, key: string): string | null {
  return readOne<{ value: string }>(db, 'SELECT value FROM profile WHERE key = ?', key)?.value ?? null;
}

/** Keeps it, or with `null` forgets it. Inside a write of the store. */
export function writeProfile(db: Database, key: string, value: string | null): void {
  if (value === null) {
    change(db, 'DELETE FROM profile WHERE key = ?', key);
    return;
  }
  change(
    db,
    'INSERT INTO profile (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    value,
  );
}
