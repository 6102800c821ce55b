import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { causeText } from '../../../shared/lib/system-causes.ts';

/** Errors of a disk, or of a share of one, that has no room left. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The system's own code of an error, such as `ENOSPC`; `null` for any other error, which is a bug. */
export function systemCodeOf(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return null;
  return /^E[A-Z0-9]+$/u.test(cause.code) && !cause.code.startsWith('ERR_') ? cause.code : null;
}

/** What a failed read or write of the folder means to a person. Throws what is no failure of the file system. */
export function folderFailure(folder: string, cause: unknown): Problem {
  const code = systemCodeOf(cause);
  if (code === null) throw cause;
  if (FULL.has(code)) {
    return problem(
      'relay-full',
      `There is no room left for the folder ${folder}, so nothing more can be put into it.`,
      'Free some space. Fencepost keeps everything on this device and goes on by itself.',
      { folder, code },
    );
  }
  const words = causeText(code);
  const why = words === null ? '' : `: ${words}`;
  return unreachable(folder, `The folder ${folder} cannot be read or written just now${why}.`);
}

/** The folder is not what it was. Nothing is made in its place: an empty one would look like a loss of everything. */
export function unreachable(folder: string, sentence: string): Problem {
  return problem(
    'relay-unreachable',
    sentence,
    'Connect the drive or start the program that syncs the folder. Everything is kept on this device meanwhile.',
    { folder },
  );
}

/** Asked after the end. */
export function closedProblem(folder: string): Problem {
  return problem('relay-unreachable', `The shared folder ${folder} is no longer in use here.`, '', { folder });
}

/** The device's own journal is there in two versions. */
export function forkProblem(seq: number): Problem {
  return problem(
    'relay-fork',
    `The shared folder holds another entry at place ${seq} of this device's journal.`,
    'Two copies of this device may be running, or it was restored from a backup. Nothing was overwritten.',
    { seq },
  );
}

/** What comes before is missing. */
export function gapProblem(first: number, head: number): Problem {
  return problem(
    'relay-gap',
    `The shared folder holds this device's journal up to entry ${head}, so entry ${first} cannot follow.`,
    'Fencepost sends what is missing by itself.',
    { first, head },
  );
}

/** The operations that were asked for are only in the checkpoint. */
export function truncatedProblem(): Problem {
  return problem(
    'relay-truncated',
    'What is asked for is no longer kept one by one, only in a checkpoint.',
    'Fencepost reads the newest checkpoint by itself.',
  );
}
