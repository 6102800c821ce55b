import { nativeTheme } from 'electron';
import type { Application } from '../bridge/application.ts';

/** Makes the system's own parts of the window (ground, menus, scroll bars) follow the chosen theme. */
export async function followTheme(application: Application): Promise<void> {
  const answer = await application.handlers['settings.get']({}, { surface: 'window', name: 'shell' });
  if (answer.ok) nativeTheme.themeSource = answer.value.theme;
}
