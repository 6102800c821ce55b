import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { app } from 'electron';
import { LINK_SCHEME } from '../../shared/contract/deep-link.ts';
import { desktopEntry } from '../bridge/desktop-entry.ts';
import type { EventLog } from '../bridge/event-log.ts';

const DESKTOP_FILE = 'fencepost.desktop';

/**
 * Makes this program the one that opens links of ours: in the registry on Windows, in the launch services on macOS, and with a
 * desktop entry on Linux. Without it links stay dead and everything else works, so a refusal is only written down.
 */
export function registerLinks(log: EventLog): void {
  // Another profile beside the usual one does not take its links away.
  if ((process.env['FENCEPOST_PROFILE'] ?? '') !== '') return;
  try {
    const args = app.isPackaged ? [] : [app.getAppPath()];
    if (process.platform === 'linux') writeDesktopEntry(args);
    const isTaken = app.setAsDefaultProtocolClient(LINK_SCHEME, process.execPath, args);
    if (!isTaken) log.write({ event: 'links-not-registered' });
  } catch (cause) {
    log.write({ event: 'links-not-registered', cause: cause instanceof Error ? cause.message : typeof cause });
  }
}

function writeDesktopEntry(args: readonly string[]): void {
  app.setDesktopName(DESKTOP_FILE);
  const data = process.env['XDG_DATA_HOME'] ?? '';
  const folder = path.join(path.isAbsolute(data) ? data : path.join(homedir(), '.local', 'share'), 'applications');
  const file = path.join(folder, DESKTOP_FILE);
  const entry = desktopEntry([process.execPath, ...args], LINK_SCHEME);
  if (readIfThere(file) === entry) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, entry);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
