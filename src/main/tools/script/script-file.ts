import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';

/** A script on disk, for as long as it runs. */
interface PlacedScript {
  readonly file: string;
  /** Takes the script and its folder away. Never rejects: what cannot be removed is left behind. */
  remove(): Promise<void>;
}

/** Endings by which interpreters tell what a file is; all others take any name. */
const ENDINGS: Readonly<Record<string, string>> = {
  node: '.js',
  bun: '.ts',
  deno: '.ts',
  powershell: '.ps1',
  pwsh: '.ps1',
  python: '.py',
  python3: '.py',
};

/** The name that a script gets for its interpreter, such as `script.py`. */
export function scriptFileName(interpreter: string): string {
  const name = path
    .basename(interpreter)
    .toLowerCase()
    .replace(/\.exe$/u, '');
  return `script${Object.hasOwn(ENDINGS, name) ? ENDINGS[name] : ''}`;
}

/**
 * Writes a script into a new folder that only this account may read. The error is the code of the system.
 */
export async function placeScript(
  source: string,
  fileName: string,
  parent: string = os.tmpdir(),
): Promise<Result<PlacedScript, string>> {
  let folder: string | null = null;
  const remove = async () => {
    // Windows keeps a file that is still open, for a moment longer than its program.
    if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  };
  try {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    folder = await mkdtemp(path.join(parent, 'fencepost-script-'));
    const file = path.join(folder, fileName);
    await writeFile(file, source, { flag: 'wx', mode: 0o600 });
    // Node asks the nearest package.json what kind of module a file is; without this one a stranger's further up decides.
    await writeFile(path.join(folder, 'package.json'), '{}', { flag: 'wx', mode: 0o600 });
    return ok({ file, remove });
  } catch (error) {
    await remove();
    return err(error instanceof Error && 'code' in error ? String(error.code) : 'unknown');
  }
}
