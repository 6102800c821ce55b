import { homedir } from 'node:os';
import path from 'node:path';

/** The application's folder below the system's place for settings; Electron's `userData` has the same name. */
const FOLDER_NAME = 'fencepost';

/** Where the host keeps its data when no Electron says so: the same folder as with a window, so that both are one host. */
export function profileFolderOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const chosen = env['FENCEPOST_PROFILE'];
  if (chosen !== undefined && chosen !== '') return path.resolve(chosen);
  if (platform === 'darwin') return path.join(homedir(), 'Library', 'Application Support', FOLDER_NAME);
  if (platform === 'win32') return path.join(env['APPDATA'] ?? path.join(homedir(), 'AppData', 'Roaming'), FOLDER_NAME);
  const base = env['XDG_CONFIG_HOME'];
  // The specification: a relative path there is to be ignored.
  const isUsable = base !== undefined && path.isAbsolute(base);
  return path.join(isUsable ? base : path.join(homedir(), '.config'), FOLDER_NAME);
}
