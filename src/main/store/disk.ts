import { accessSync, constants, statSync } from 'node:fs';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';

/** Why a folder cannot hold the record; `null` if it can. */
export function folderProblem(folder: string): Problem | null {
  try {
    if (!statSync(folder).isDirectory()) throw new Error('not a folder');
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch {
    return problem('folder-read-only', `The data folder ${folder} cannot be written.`, 'Choose another folder with FENCEPOST_PROFILE, or change its permissions.');
  }
}
