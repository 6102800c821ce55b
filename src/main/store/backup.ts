import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';

/** How many copies are kept for each file. */
const BACKUPS_KEPT = 10;

/** Makes a checked copy of an open database in `backups` beside it, with its SHA-256. */
export function backupDatabase(db: Database, file: string, label: string): Result<string, Problem> {
  const folder = join(dirname(file), 'backups');
  const stamp = new Date().toISOString().replaceAll(/[:.]/gu, '-');
  const copy = join(folder, `${basename(file)}.${stamp}.${label}.sqlite`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    db.prepare('VACUUM INTO ?').run(copy);
    const nativeBinding = process.env['FENCEPOST_NATIVE_BINDING'];
    const check = new BetterSqlite(copy, { readonly: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
    const [first] = check.pragma('integrity_check(1)') as { integrity_check: string }[];
    check.close();
    if (first?.integrity_check !== 'ok') throw new Error(`the copy does not check out: ${first?.integrity_check ?? 'no answer'}`);
    writeFileSync(`${copy}.sha256`, `${createHash('sha256').update(readFileSync(copy)).digest('hex')}\n`);
    forgetOldest(folder, basename(file));
    return ok(copy);
  } catch (cause) {
    rmSync(copy, { force: true });
    return err(problem('store-full', `No copy could be made before changing the record: ${cause instanceof Error ? cause.message : String(cause)}`, 'Nothing was changed. Free some space, then start again.'));
  }
}

/** The copies of a database, newest first. */
export function listBackups(file: string): readonly string[] {
  const folder = join(dirname(file), 'backups');
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.sqlite'));
    return names.toSorted().toReversed().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function forgetOldest(folder: string, name: string): void {
  for (const old of listBackups(join(dirname(folder), name)).slice(BACKUPS_KEPT)) {
    rmSync(old, { force: true });
    rmSync(`${old}.sha256`, { force: true });
  }
}
