import type { SettingsView } from '../../shared/contract/views.ts';
import type { HostControl } from '../host/control.ts';
import { readOne } from '../store/connection.ts';
import type { HostInfo } from './overview.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The name of the setting that keeps the theme. */
export const THEME_SETTING = 'theme';
/** The name of the setting that keeps the contrast. */
export const CONTRAST_SETTING = 'contrast';

/** This device, how its window looks, and its versions. */
export function settingsView(source: ViewSource, control: HostControl, info: HostInfo): SettingsView {
  const { db } = source.connection;
  const theme = control.readSetting(THEME_SETTING);
  return {
    sequence: sequenceOf(source),
    deviceName: source.device.name,
    deviceId: source.device.deviceId,
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    contrast: control.readSetting(CONTRAST_SETTING) === 'high' ? 'high' : 'system',
    profileFolder: info.profileFolder,
    schemaVersion: Number(db.pragma('user_version', { simple: true })),
    coordinatorName: source.coordinatorName,
    version: info.version,
    electronVersion: info.electronVersion,
    nodeVersion: process.versions.node,
    sqliteVersion: readOne<{ version: string }>(db, 'SELECT sqlite_version() AS version')?.version ?? '',
  };
}
