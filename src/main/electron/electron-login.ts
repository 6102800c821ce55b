import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { app } from 'electron';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { autostartEntry } from '../bridge/desktop-entry.ts';

/** Given by the system when it starts the app at sign-in. macOS gives no arguments and says it otherwise. */
const BACKGROUND_FLAG = '--background';

const REFUSED = problem(
  'internal',
  'The system did not take the change, so it starts as it did before.',
  'Change it in the settings of the system, under what starts when you sign in.',
);

/** Another profile beside the usual one is for trying out, and nothing that starts by itself. */
export function canStartAtLogin(): boolean {
  return (process.env['FENCEPOST_PROFILE'] ?? '') === '';
}

/** Whether these are the arguments of a start at sign-in: then nobody asked for a window. */
export function isLoginStart(args: readonly string[]): boolean {
  return args.includes(BACKGROUND_FLAG);
}

/** Whether it was the system that started this process. */
export function wasStartedByLogin(): boolean {
  if (process.platform === 'darwin') return app.getLoginItemSettings().wasOpenedAtLogin;
  return isLoginStart(process.argv);
}

/** As the system has it at this moment. */
export function startsAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile());
  return app.getLoginItemSettings(program()).openAtLogin;
}

/** Lets the system start the app when the person signs in, or no longer. */
export function setStartsAtLogin(isWanted: boolean): Result<null, Problem> {
  if (!canStartAtLogin()) return err(REFUSED);
  try {
    if (process.platform === 'linux') writeAutostart(isWanted);
    else app.setLoginItemSettings({ ...program(), openAtLogin: isWanted });
    return startsAtLogin() === isWanted ? ok(null) : err(REFUSED);
  } catch {
    return err(REFUSED);
  }
}

function program(): { path: string; args: string[] } {
  return { path: process.execPath, args: [...(app.isPackaged ? [] : [app.getAppPath()]), BACKGROUND_FLAG] };
}

function writeAutostart(isWanted: boolean): void {
  const file = autostartFile();
  if (!isWanted) return rmSync(file, { force: true });
  const { path: command, args } = program();
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, autostartEntry([command, ...args]));
  return undefined;
}

function autostartFile(): string {
  const config = process.env['XDG_CONFIG_HOME'] ?? '';
  const folder = path.isAbsolute(config) ? config : path.join(homedir(), '.config');
  return path.join(folder, 'autostart', 'fencepost.desktop');
}
