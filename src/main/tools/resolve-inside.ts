import { lstat, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Result } from '../../shared/lib/result.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';

/** Where a path may lead. */
export interface FolderBounds {
  /** The folders that were granted. */
  readonly folders: readonly string[];
  /** Folders that stay out of reach even inside a granted one. */
  readonly protectedFolders: readonly string[];
  /** What a leading `~/` means; the user's home folder by default. */
  readonly homeFolder?: string | undefined;
}

/** Names that Windows gives to devices in every folder. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/iu;

/**
 * The real place of a path, provided that it lies inside a granted folder: compared segment by segment after every
 * link is resolved, so that neither `..`, a link, nor `/granted-evil` leads out. Links below the granted folder are
 * refused even where they lead back in, because whoever can make one can turn it around later. The error is a sentence.
 */
export async function resolveInside(given: string, bounds: FolderBounds): Promise<Result<string, string>> {
  const home = bounds.homeFolder ?? os.homedir();
  const flaw = spellingFlaw(given);
  if (flaw !== null) return err(flaw);
  const wanted = fullPath(given, home);
  if (wanted === null) return err(`"${visibleText(given)}" must be a full path.`);
  for (const folder of bounds.folders) {
    const lexical = spellingFlaw(folder) === null ? fullPath(folder, home) : null;
    if (lexical === null) continue;
    const root = await realPathOf(lexical);
    const rest = segmentsBelow(lexical, wanted) ?? segmentsBelow(root, wanted);
    if (rest === null) continue;
    return await walkInside(root, rest, bounds.protectedFolders);
  }
  return err(`"${visibleText(given)}" lies outside the folders that this agent may use.`);
}

async function walkInside(
  root: string,
  rest: readonly string[],
  protectedFolders: readonly string[],
): Promise<Result<string, string>> {
  let at = root;
  for (const segment of rest) {
    at = path.join(at, segment);
    const found = await lstat(at).catch(() => null);
    if (found?.isSymbolicLink() === true) return err(`"${visibleText(at)}" is a link, and links are not followed.`);
  }
  const real = await realPathOf(at);
  if (segmentsBelow(root, real) === null) return err(`"${visibleText(at)}" leads out of its folder.`);
  for (const folder of protectedFolders) {
    if (segmentsBelow(await realPathOf(path.resolve(folder)), real) !== null) {
      return err(`"${visibleText(at)}" belongs to Fencepost itself, and no tool may touch it.`);
    }
  }
  return ok(real);
}

/** Why a path is turned away by its spelling alone; `null` means it is fine. */
function spellingFlaw(given: string): string | null {
  if (given === '') return 'A path may not be empty.';
  if (!given.isWellFormed() || visibleText(given) !== given || /[\t\n]/u.test(given)) {
    return `"${visibleText(given)}" holds hidden characters, which a path may not.`;
  }
  if (given.split(/[\\/]/u).includes('..')) return `"${given}" holds "..", which a path may not.`;
  return process.platform === 'win32' ? windowsFlaw(given) : null;
}

/** Streams (`a.txt:b`), device names, and names that Windows silently shortens mean another file than they say. */
function windowsFlaw(given: string): string | null {
  if (/^[\\/]{2}[?.]/u.test(given)) return `"${given}" names a device, not a file.`;
  const names = given.replace(/^[a-z]:/iu, '').split(/[\\/]/u);
  const isOdd = names.some(
    (name) => name !== '.' && (name.includes(':') || WINDOWS_DEVICE.test(name) || /[. ]$/u.test(name)),
  );
  return isOdd ? `"${given}" means something else on Windows than it says.` : null;
}

/** A path with a leading `~/` filled in; `null` if it is not a full path. */
export function fullPath(given: string, home: string): string | null {
  const full = given === '~' || given.startsWith('~/') ? path.join(home, given.slice(1)) : given;
  return path.isAbsolute(full) ? path.resolve(full) : null;
}

/** Resolves the deepest part that exists and appends the rest, so that a file to be created has a real path too. */
async function realPathOf(full: string): Promise<string> {
  const missing: string[] = [];
  let at = full;
  for (;;) {
    try {
      return path.join(await realpath(at), ...missing);
    } catch {
      const parent = path.dirname(at);
      if (parent === at) return full;
      missing.unshift(path.basename(at));
      at = parent;
    }
  }
}

/** The names that lead from a folder down to a path; `null` if the path does not lie in it. */
export function segmentsBelow(folder: string, full: string): readonly string[] | null {
  const between = path.relative(folder, full);
  if (between === '') return [];
  const segments = between.split(path.sep);
  return segments[0] === '..' || path.isAbsolute(between) ? null : segments;
}
