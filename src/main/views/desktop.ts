import type { DesktopSettings, DesktopView } from '../../shared/contract/desktop-views.ts';
import type { HostControl } from '../host/control.ts';
import type { HostInfo } from './overview.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The names under which the profile keeps them. */
export const DESKTOP_SETTINGS = {
  onClose: 'desktop-on-close',
  notifies: 'desktop-notifies',
  keepsAwake: 'desktop-keeps-awake',
} as const satisfies Record<keyof DesktopSettings, string>;

/** How the desktop app behaves here, and what this desktop has. */
export function desktopView(source: ViewSource, control: HostControl, info: HostInfo): DesktopView {
  const onClose = control.readSetting(DESKTOP_SETTINGS.onClose);
  return {
    sequence: sequenceOf(source),
    onClose: onClose === 'background' || onClose === 'quit' ? onClose : 'ask',
    notifies: control.readSetting(DESKTOP_SETTINGS.notifies) !== 'no',
    // Off until somebody wants it: a device that never sleeps is a surprise.
    keepsAwake: control.readSetting(DESKTOP_SETTINGS.keepsAwake) === 'yes',
    desktop: info.desktop?.facts() ?? null,
  };
}
