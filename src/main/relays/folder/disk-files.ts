import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemCodeOf } from './folder-failures.ts';
import type { FileStamp, NewFile, RelayFiles } from './relay-files.ts';

/** How the name of a file begins that is still being written; other programs' temporary files begin like that, too. */
const TEMPORARY_MARK = '.fencepost-';
/** A temporary file that is older was left behind by a crash, ms. */
const LEFT_BEHIND_MS = 3_600_000;

/** The file system of this device. */
export const diskFiles: RelayFiles = {
  fileNames: (folder) => namesOf(folder, (entry) => entry.isFile()),
  folderNames: (folder) => namesOf(folder, (entry) => entry.isDirectory()),
  stampOf,
  readBounded,
  async readText(file, limitBytes) {
    return (await stat(file)).size > limitBytes ? null : await readFile(file, 'utf8');
  },
  isThere: (file) =>
    stat(file).then(
      () => true,
      () => false,
    ),
  place,
  remove: (file) => rm(file, { force: true }),
  makeFolder,
  async removeLeftBehind(folder, nowMs) {
    for (const name of await readdir(folder)) {
      if (!name.startsWith(TEMPORARY_MARK)) continue;
      const full = path.join(folder, name);
      const found = await stat(full).catch(() => null);
      if (found !== null && nowMs - found.mtimeMs > LEFT_BEHIND_MS) await rm(full, { force: true });
    }
  },
};

async function namesOf(
  folder: string,
  isWanted: (entry: { isFile(): boolean; isDirectory(): boolean }) => boolean,
): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter(isWanted).map((entry) => entry.name);
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

async function stampOf(file: string): Promise<FileStamp | null> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await lstat(file);
    return { stamp: `${size} ${mtimeMs} ${ctimeMs} ${ino}`, bytes: size };
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return null;
    throw cause;
  }
}

async function readBounded(file: string, limitBytes: number): Promise<Buffer | null> {
  try {
    // On Windows there is no such flag, and making a link takes special rights there.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > limitBytes) return null;
      const content = Buffer.alloc(found.size);
      let at = 0;
      while (at < content.length) {
        const { bytesRead } = await handle.read(content, at, content.length - at, at);
        if (bytesRead === 0) return null;
        at += bytesRead;
      }
      return content;
    } finally {
      await handle.close();
    }
  } catch (cause) {
    // One file that cannot be read must not hide the others.
    if (systemCodeOf(cause) === null) throw cause;
    return null;
  }
}

async function makeFolder(folder: string, { isDeep }: { readonly isDeep: boolean }): Promise<void> {
  try {
    await mkdir(folder, { recursive: isDeep, mode: 0o700 });
  } catch (cause) {
    if (isDeep || systemCodeOf(cause) !== 'EEXIST') throw cause;
  }
}

/** Written under a temporary name, flushed, renamed, and the name flushed. */
async function place({ folder, name, content }: NewFile): Promise<void> {
  const temporary = path.join(folder, `${TEMPORARY_MARK}${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path.join(folder, name));
  } catch (cause) {
    // Its own failure says less than the first; the next opening removes what is left.
    await rm(temporary, { force: true }).catch(() => {});
    throw cause;
  }
  await flushFolder(folder);
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
