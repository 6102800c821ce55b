import type { Answer, Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import { DESKTOP_SETTINGS, desktopView } from '../views/desktop.ts';
import type { HostInfo } from '../views/overview.ts';
import type { Handlers } from './application.ts';
import { read } from './answers.ts';

const NO_DESKTOP = problem(
  'not-offered',
  'This host runs without the desktop app, so nothing can start it when you sign in.',
  'Change it in the desktop app.',
);

const yesOrNo = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : value ? 'yes' : 'no';

/** How the desktop app behaves. The values are kept here; the shell around the host follows them. */
export function desktopHandlers(
  control: HostControl,
  info: HostInfo,
): Pick<Handlers, Extract<Route, `desktop.${string}`>> {
  const get = (): Promise<Answer<'desktop.get'>> => read(control, (source) => desktopView(source, control, info));
  return {
    'desktop.get': get,
    async 'desktop.set'({ onClose, notifies, keepsAwake, startsAtLogin }) {
      if (startsAtLogin !== undefined) {
        const changed = info.desktop?.setStartsAtLogin(startsAtLogin) ?? err(NO_DESKTOP);
        if (!changed.ok) return changed;
      }
      const values = {
        [DESKTOP_SETTINGS.onClose]: onClose,
        [DESKTOP_SETTINGS.notifies]: yesOrNo(notifies),
        [DESKTOP_SETTINGS.keepsAwake]: yesOrNo(keepsAwake),
      };
      for (const [key, value] of Object.entries(values)) {
        if (value === undefined) continue;
        const written = await control.writeSetting(key, value);
        if (!written.ok) return written;
      }
      return get();
    },
  };
}
