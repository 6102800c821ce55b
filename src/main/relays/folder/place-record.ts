import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** How the name of a file begins that is still being written; other programs' temporary files begin like that, too. */
const TEMPORARY_MARK = '.fencepost-';
/** A temporary file that is older was left behind by a crash, ms. */
const LEFT_BEHIND_MS = 3_600_000;

/**
 * Gives a folder a new file, whole from its first moment on this device: written under a temporary name, flushed, renamed,
 * and the name flushed. Rejects with the system's error; nothing is left then, or the whole file. Only for names that say
 * what is in the file: one that is there already is replaced by the same.
 */
export async function placeRecord(of: {
  readonly folder: string;
  readonly name: string;
  readonly content: Buffer;
}): Promise<void> {
  const temporary = path.join(of.folder, `${TEMPORARY_MARK}${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(of.content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path.join(of.folder, of.name));
  } catch (cause) {
    // Its own failure says less than the first; the next opening removes what is left.
    await rm(temporary, { force: true }).catch(() => {});
    throw cause;
  }
  await flushFolder(of.folder);
}

/** Removes files of its own that a crash left half written. `nowMs` is the wall clock that the files' times are in. */
export async function removeLeftBehind(folder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(TEMPORARY_MARK)) continue;
    const full = path.join(folder, name);
    const found = await stat(full).catch(() => null);
    if (found !== null && nowMs - found.mtimeMs > LEFT_BEHIND_MS) await rm(full, { force: true });
  }
}

async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for flushing; NTFS journals the name itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (cause) {
    // Some network drives cannot flush a folder. The file itself is flushed, and a name that is lost is pushed again.
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    if (code !== 'EINVAL' && code !== 'ENOTSUP') throw cause;
  } finally {
    await handle.close();
  }
}
