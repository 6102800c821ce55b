import { shell } from 'electron';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { outsideLink } from '../../shared/lib/outside-link.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';

/**
 * The one place that opens something outside: a page in the browser of the system, after a person asked for it. A server may have
 * written the address, so it is judged here whoever judged it before. No shell takes part.
 */
export async function openLink(address: string): Promise<Result<null, Problem>> {
  const link = outsideLink(address);
  if (link === null)
    return err(problem('not-offered', 'This address is not one that is opened.', 'Nothing was opened.'));
  try {
    await shell.openExternal(link.href);
    return ok(null);
  } catch {
    const message = 'The system did not open its browser.';
    return err(problem('not-offered', message, 'Choose a browser in the settings of the system, then try again.'));
  }
}
