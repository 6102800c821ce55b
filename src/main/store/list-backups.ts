import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The folder beside a database that holds its copies. */
export function backupFolderOf(file: string): string {
  return join(dirname(file), 'backups');
}

/** The finished copies of a database, newest first. Their names begin with the time, so the order is that of the text. */
export function listBackups(file: string): readonly string[] {
  const folder = backupFolderOf(file);
  try {
    const names = readdirSync(folder).filter(
      (name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.sqlite'),
    );
    return names.toSorted((one, other) => (one < other ? 1 : -1)).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The newest copy, or `null`. */
export function newestBackup(file: string): string | null {
  return listBackups(file)[0] ?? null;
}
