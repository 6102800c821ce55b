import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './content-digest.ts';

/** What became of a file that was to be placed. */
export type Placing =
  | { readonly kind: 'placed' }
  /** Nothing is at the path that was not there before. */
  | { readonly kind: 'not-placed'; readonly code: string }
  /** It may be at the path, but the disk did not confirm it. */
  | { readonly kind: 'unsure'; readonly code: string };

/** How to place a file. */
export interface PlaceOptions {
  readonly mode: 'create' | 'replace';
  /** Called after the new content is on disk and before it gets its name; `false` gives up. */
  readonly mayStillPlace: () => Promise<boolean>;
}

/** Errors of file systems that know no hard links, such as exFAT and many network drives. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Writes a file so that its path shows the old state or the whole new one, whatever happens: a temporary file in the
 * same folder, flushed, then one link or rename, then the folder flushed.
 */
export async function placeFile(full: string, content: Buffer, options: PlaceOptions): Promise<Placing> {
  const folder = path.dirname(full);
  const temporary = path.join(folder, `.fencepost-${randomUUID()}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFlushed(temporary, content, await keptPermissions(full, options.mode));
    if (!(await options.mayStillPlace())) return { kind: 'not-placed', code: 'path-changed' };
    await (options.mode === 'create' ? nameNew(temporary, full) : rename(temporary, full));
  } catch (error) {
    const code = codeOf(error);
    // A disk that fails under a rename may have done it or not.
    if (code === 'EIO') return { kind: 'unsure', code };
    return { kind: 'not-placed', code: code === 'EEXIST' && options.mode === 'create' ? 'file-exists' : code };
  } finally {
    // After a rename there is nothing left to remove; after a link or a failure there is.
    await rm(temporary, { force: true }).catch(() => {});
  }
  try {
    await flushFolder(folder);
    return { kind: 'placed' };
  } catch (error) {
    return { kind: 'unsure', code: codeOf(error) };
  }
}

async function keptPermissions(full: string, mode: PlaceOptions['mode']): Promise<number | null> {
  if (mode === 'create' || process.platform === 'win32') return null;
  const before = await stat(full).catch(() => null);
  return before === null ? null : before.mode & 0o777;
}

async function writeFlushed(temporary: string, content: Buffer, permissions: number | null): Promise<void> {
  const handle = await open(temporary, 'wx', 0o666);
  try {
    await handle.writeFile(content);
    if (permissions !== null) await handle.chmod(permissions);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives the file its name only if the name is free. A link does both in one step. */
async function nameNew(temporary: string, full: string): Promise<void> {
  try {
    await link(temporary, full);
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error;
    // Without links the name is taken first, exclusively, and the content moved over it.
    await (await open(full, 'wx')).close();
    await rename(temporary, full).catch(async (failure: unknown) => {
      await rm(full, { force: true });
      throw failure;
    });
  }
}

async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for flushing; NTFS journals the name itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
