import { stat } from 'node:fs/promises';
import path from 'node:path';
import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';

/** A file counts as written once its size has been the same for this long, ms; and how often that is looked at. */
const SETTLED_MS = 1_000;
const LOOK_MS = 100;

/** A folder that is being watched. */
export interface FolderWatch {
  close(): Promise<void>;
}

/**
 * Tells of each file that appears or changes directly in a folder, once it is written. What was there before is not told.
 * Resolves when the watch stands; rejects if there is no such folder. `onLost` is called at most once.
 */
export async function watchFolder(
  folder: string,
  on: { readonly onFile: (fullPath: string) => void; readonly onLost: (why: string) => void },
): Promise<FolderWatch> {
  if (!(await stat(folder)).isDirectory()) throw new Error('It is not a folder.');
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    depth: 0,
    awaitWriteFinish: { stabilityThreshold: SETTLED_MS, pollInterval: LOOK_MS },
  });
  let isOver = false;
  const lost = (why: string): void => {
    if (isOver) return;
    isOver = true;
    on.onLost(why);
  };
  const told = (file: string): void => {
    if (!isOver) on.onFile(path.resolve(folder, file));
  };
  watcher.on('add', told).on('change', told);
  watcher.on('unlinkDir', (gone) => {
    if (path.resolve(gone) === path.resolve(folder)) lost('The folder is gone.');
  });
  await standing(watcher);
  watcher.on('error', (cause) => lost(cause instanceof Error ? cause.message : String(cause)));
  return {
    async close() {
      isOver = true;
      await watcher.close();
    },
  };
}

function standing(watcher: FSWatcher): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void => {
      // Closed without waiting: the watch never stood.
      void watcher.close();
      reject(cause instanceof Error ? cause : new Error(String(cause)));
    };
    watcher.once('error', failed);
    watcher.once('ready', () => {
      watcher.off('error', failed);
      resolve();
    });
  });
}

/** Whether a file name is like a pattern, in which `*` is any text. Upper and lower case are told apart. */
export function isNamedLike(name: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
