import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { segmentsBelow } from '../resolve-inside.ts';

/** What Windows may start itself. Batch files go through a command interpreter, which would read arguments as commands. */
const WINDOWS_ENDINGS = ['.exe', '.com'];

/**
 * The full path of an allow-listed program, or `null` if this device has none. Looks through the full folders of PATH
 * only, never in the current folder, and never in a folder that the agent can write into.
 */
export async function findProgram(
  name: string,
  options: { readonly searchPath: string; readonly writableFolders: readonly string[] },
): Promise<string | null> {
  if (path.isAbsolute(name)) return await startable(name);
  const writable = await Promise.all(options.writableFolders.map(realOrSame));
  for (const folder of options.searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const real = await realOrSame(folder);
    if (writable.some((each) => segmentsBelow(each, real) !== null)) continue;
    const found = await startable(path.join(folder, name));
    if (found !== null) return found;
  }
  return null;
}

async function startable(full: string): Promise<string | null> {
  for (const candidate of process.platform === 'win32' ? windowsNames(full) : [full]) {
    try {
      if (!(await stat(candidate)).isFile()) continue;
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not this one; the next folder may have it.
    }
  }
  return null;
}

function windowsNames(full: string): readonly string[] {
  const ending = path.extname(full).toLowerCase();
  return WINDOWS_ENDINGS.includes(ending) ? [full] : WINDOWS_ENDINGS.map((each) => full + each);
}

async function realOrSame(folder: string): Promise<string> {
  return await realpath(folder).catch(() => path.resolve(folder));
}
