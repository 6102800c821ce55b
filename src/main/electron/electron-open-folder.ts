import { shell } from 'electron';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';

/**
 * Shows a folder of the profile. The page never names one: what is opened is what the host was started with. On Linux Electron
 * waits for the file manager on the thread that everything else runs on, so the window offers the path alone there.
 */
export async function openFolder(folder: string): Promise<Result<null, Problem>> {
  if (process.platform === 'linux')
    return err(problem('not-offered', 'Folders are not opened from here on Linux.', 'Copy its path and open it.'));
  const refusal = await shell.openPath(folder);
  if (refusal === '') return ok(null);
  return err(
    problem('internal', 'The system did not open the folder.', 'Its path can be copied and opened by hand.', {
      folder,
    }),
  );
}
