import { app, Notification } from 'electron';
import type { BrowserWindow } from 'electron';
import type { DesktopFacts, DesktopView } from '../../shared/contract/desktop-views.ts';
import type { Application, Caller } from '../bridge/application.ts';
import type { EventLog } from '../bridge/event-log.ts';
import { AwakeHold } from './electron-awake.ts';
import { canStartAtLogin, startsAtLogin } from './electron-login.ts';
import { Notices } from './electron-notices.ts';
import { overlayIcon, showTray } from './electron-tray.ts';
import type { ShownTray, TrayActions } from './electron-tray.ts';

/** Changes come in bursts; they are looked at together, ms. */
const LOOK_AFTER_MS = 300;
/** How often it is looked while something is on its way: its end is no change of its own, ms. */
const LOOK_AGAIN_MS = 1_000;
const SHELL: Caller = { surface: 'window', name: 'shell' };

/** What the shell gives. */
export interface MannersOptions {
  readonly application: Application;
  readonly log: EventLog;
  readonly hasTray: boolean;
  readonly window: () => BrowserWindow | null;
  readonly openPlace: (place: string) => void;
  readonly tray: TrayActions;
}

/** What this desktop has, for the settings. */
export function desktopFacts(of: Pick<DesktopFacts, 'hasTray' | 'isNotifyBlocked' | 'leaving'>): DesktopFacts {
  return {
    ...of,
    canNotify: Notification.isSupported(),
    canStartAtLogin: canStartAtLogin(),
    startsAtLogin: startsAtLogin(),
  };
}

/** Follows the host with what is outside of the window: the icon, the badge, notifications, and staying awake. */
export class Manners {
  readonly #options: MannersOptions;
  readonly #notices: Notices;
  readonly #awake = new AwakeHold();
  readonly #tray: ShownTray | null;
  readonly #endChanges: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** What the person chose about closing, as it was last read. */
  onClose: DesktopView['onClose'] = 'ask';

  constructor(options: MannersOptions) {
    this.#options = options;
    const { openPlace, log, application } = options;
    this.#notices = new Notices({ openPlace, log, source: application.notices });
    this.#tray = options.hasTray ? showTray(process.platform, options.tray) : null;
    this.#endChanges = options.application.onChange((notice) => {
      // What calls tell while they run comes several times a second, and changes nothing here.
      const isLiveOnly = notice.sequence === notice.previousSequence && notice.runIds.length > 0;
      if (!isLiveOnly) this.#lookAfter(LOOK_AFTER_MS);
    });
  }

  /** The system does not show what it is told. */
  get isNotifyBlocked(): boolean {
    return this.#notices.isBlocked;
  }

  /** Reads how things stand, and shows it. Does nothing while the record is being opened again. */
  async look(): Promise<void> {
    const { application } = this.#options;
    const [overview, desktop] = await Promise.all([
      application.handlers['overview.get']({}, SHELL),
      application.handlers['desktop.get']({}, SHELL),
    ]);
    if (this.#isClosed) return;
    const inFlight = application.summary().inFlight.length;
    this.#awake.update({ isWanted: desktop.ok && desktop.value.keepsAwake, inFlight });
    if (overview.ok) this.#count(overview.value);
    if (desktop.ok) this.onClose = desktop.value.onClose;
    if (desktop.ok) {
      await this.#notices.update({ isOn: desktop.value.notifies, focusedPlace: () => this.#focusedPlace() });
    }
    if (inFlight > 0) this.#lookAfter(LOOK_AGAIN_MS);
  }

  /** The window came to the front, or shows another place: what is seen there need not be told any more. */
  looked(): void {
    this.#lookAfter(LOOK_AFTER_MS);
  }

  /** Ends everything that outlasts a window. Staying awake ends with the process, so that what is in flight gets its time. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#endChanges();
    this.#notices.close();
    this.#tray?.remove();
  }

  #lookAfter(delayMs: number): void {
    if (this.#isClosed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.look().catch((cause: unknown) => {
        const message = cause instanceof Error ? cause.message : typeof cause;
        this.#options.log.write({ event: 'manners-failed', message });
      });
    }, delayMs);
  }

  #count(counts: { readonly running: number; readonly needsYou: number }): void {
    this.#tray?.update(counts);
    if (process.platform !== 'win32') {
      app.setBadgeCount(counts.needsYou);
      return;
    }
    const words = counts.needsYou === 0 ? '' : `${counts.needsYou} need you`;
    this.#options.window()?.setOverlayIcon(counts.needsYou === 0 ? null : overlayIcon(), words);
  }

  #focusedPlace(): string | null {
    const window = this.#options.window();
    if (window === null || window.isDestroyed() || !window.isFocused()) return null;
    const url = window.webContents.getURL();
    return URL.canParse(url) ? new URL(url).hash.replace(/^#/u, '') : null;
  }
}
