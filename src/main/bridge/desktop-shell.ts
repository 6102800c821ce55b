import type { DesktopFacts } from '../../shared/contract/desktop-views.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { Result } from '../../shared/lib/result.ts';

/** What the program around the host can do on a desktop. The host asks, and knows nothing of Electron. */
export interface DesktopShell {
  facts(): DesktopFacts;
  /** Shows a folder of the profile in the system's own program for files. */
  openFolder(folder: string): Promise<Result<null, Problem>>;
  /** Opens an address outside, in the browser of the system, if it is one that `outsideLink` lets through. */
  openLink(address: string): Promise<Result<null, Problem>>;
  /** Lets the system start the app when the person signs in, or no longer. */
  setStartsAtLogin(isWanted: boolean): Result<null, Problem>;
}
