import path from 'node:path';
import { app, powerMonitor, protocol, session } from 'electron';
import type { BrowserWindow } from 'electron';
import type { Problem } from '../../shared/contract/errors.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Application } from '../bridge/application.ts';
import type { DesktopShell } from '../bridge/desktop-shell.ts';
import type { EventLog } from '../bridge/event-log.ts';
import { EXIT_CODES, exitCodeOf } from '../bridge/exit-code.ts';
import { createRouter } from '../bridge/router.ts';
import { startSafely, stopSafely } from '../bridge/start-safely.ts';
import { livesWithoutWindow, startsWithoutWindow } from './close-step.ts';
import type { CloseFacts } from './close-step.ts';
import { watchClose } from './electron-close.ts';
import { openIpcDoor } from './electron-ipc.ts';
import { lockDownContents, lockDownSession } from './electron-lock-down.ts';
import { isLoginStart, setStartsAtLogin, wasStartedByLogin } from './electron-login.ts';
import { desktopFacts, Manners } from './electron-manners.ts';
import { installMenu } from './electron-menu.ts';
import { linkAmong, placeOfLink } from '../../shared/contract/deep-link.ts';
import { layerPath, NO_LINK_PATH } from '../../shared/contract/places.ts';
import { openFolder } from './electron-open-folder.ts';
import { openLink } from './electron-open-link.ts';
import { registerLinks } from './electron-links.ts';
import { answerSchemeRequest, placeUrl, PROBLEM_URL, SCHEME, WINDOW_URL } from './electron-scheme.ts';
import { followTheme } from './electron-theme.ts';
import { focusWindow, goToPlace, openWindow, preloadFile } from './electron-window.ts';
import { hasTrayPlace } from './tray-place.ts';

/** What the shell is told by the entry. */
export interface ShellOptions {
  /** The folder of the built entry; the preload and the window's files are beside it. */
  readonly entryFolder: string;
  readonly log: EventLog;
  readonly start: (desktop: DesktopShell) => Promise<Result<Application, Problem>>;
}

interface Shell {
  readonly options: ShellOptions;
  started: Result<Application, Problem> | null;
  /** Settled once `started` is known. */
  readonly startEnded: PromiseWithResolvers<void>;
  window: BrowserWindow | null;
  /** Where the next window begins: what was asked for before there was one. */
  place: string | null;
  /** `waiting`: asked to quit; what is on its way gets its time. `over`: everything is closed. */
  quitting: CloseFacts['quitting'];
  /** Settled by asking to quit once more. */
  readonly hurry: PromiseWithResolvers<void>;
  hasTray: boolean;
  manners: Manners | null;
}

/** What must happen before Electron is ready. Answers false when another copy of this profile runs already. */
export function prepareShell(): boolean {
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, allowServiceWorkers: false } },
  ]);
  // Windows groups windows and shows notifications by this name.
  if (process.platform === 'win32') app.setAppUserModelId('org.fencepost.app');
  return app.requestSingleInstanceLock();
}

/** Runs the window and the host behind it, until the person quits. Call it at once, and never await readiness before. */
export function runShell(options: ShellOptions): void {
  const shell: Shell = {
    options,
    started: null,
    startEnded: Promise.withResolvers<void>(),
    window: null,
    place: null,
    quitting: 'no',
    hurry: Promise.withResolvers<void>(),
    hasTray: false,
    manners: null,
  };
  lockDownContents(options.log);
  // Windows and Linux start a second copy with the link, or the first one; macOS tells the one that runs.
  followLink(shell, linkAmong(process.argv.slice(1)));
  app.on('second-instance', (_event, args) => {
    // Signing in starts it once more where it runs already: nobody asked for the window.
    if (!isLoginStart(args)) followLink(shell, linkAmong(args));
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    followLink(shell, link);
  });
  app.on('activate', () => showWindow(shell));
  app.on('window-all-closed', () => {
    if (!livesWithoutWindow(closeFacts(shell))) app.quit();
  });
  app.on('before-quit', (event) => {
    event.preventDefault();
    void quit(shell);
  });
  app
    .whenReady()
    .then(() => open(shell))
    .catch((cause: unknown) => {
      options.log.write({
        event: 'shell-threw',
        cause: cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause,
      });
      process.stderr.write('fencepost: the window could not be opened; the log in the data folder says why\n');
      app.exit(EXIT_CODES.general);
    });
}

async function open(shell: Shell): Promise<void> {
  const { options } = shell;
  lockDownSession(session.defaultSession, options.log);
  installMenu(process.platform, (place) => openPlace(shell, place));
  registerLinks(options.log);
  const rendererFolder = path.join(options.entryFolder, '..', 'renderer');
  const startProblem = () => (shell.started?.ok === false ? shell.started.error : null);
  protocol.handle(SCHEME, (request) => answerSchemeRequest(request, { rendererFolder, startProblem }));
  const isByLogin = wasStartedByLogin();
  // The host does not wait for the panel.
  const [started, hasTray] = await Promise.all([
    startSafely(() => options.start(desktopOf(shell)), options.log),
    hasTrayPlace(process.platform, isByLogin),
  ]);
  shell.hasTray = hasTray;
  shell.started = started;
  shell.startEnded.resolve();
  if (started.ok) await connect(shell, started.value);
  else process.stderr.write(`fencepost: ${started.error.message}\n${started.error.wayOut}\n`);
  const { place } = shell;
  const isQuiet = startsWithoutWindow({ isLoginStart: isByLogin, hasTray, isHostRunning: started.ok, place });
  // Asked to quit while it started: before-quit waited for this.
  if (shell.quitting === 'no' && !isQuiet) showWindow(shell);
}

function desktopOf(shell: Shell): DesktopShell {
  const facts = () =>
    desktopFacts({
      hasTray: shell.hasTray,
      isNotifyBlocked: shell.manners?.isNotifyBlocked ?? false,
      leaving: shell.quitting === 'no' ? null : inFlightOf(shell),
    });
  return { facts, openFolder, openLink, setStartsAtLogin };
}

function inFlightOf({ started }: Shell): readonly string[] {
  return started?.ok === true ? started.value.summary().inFlight : [];
}

function closeFacts(shell: Shell): CloseFacts {
  const { started, hasTray, quitting, manners } = shell;
  return { isHostRunning: started?.ok === true, hasTray, onClose: manners?.onClose ?? 'ask', quitting };
}

/** A link opens a place and does nothing else; without one the window is shown as it is. */
function followLink(shell: Shell, link: string | null): void {
  if (link === null) return showWindow(shell);
  const place = placeOfLink(link);
  // What a stranger's link says is not written down: it may be anything.
  if (place === NO_LINK_PATH) shell.options.log.write({ event: 'link-refused', length: link.length });
  openPlace(shell, place);
}

/** Shows a place in the window, which is opened for it if there is none. */
function openPlace(shell: Shell, place: string): void {
  shell.place = place;
  showWindow(shell);
}

async function connect(shell: Shell, application: Application): Promise<void> {
  const { log } = shell.options;
  const theme = () => followTheme(application).catch(() => log.write({ event: 'theme-unread' }));
  openIpcDoor({
    application,
    router: createRouter(application, { log }),
    log,
    windows: () => (shell.window === null ? [] : [shell.window]),
    answered: (route) => {
      if (route === 'settings.set') void theme();
      if (route === 'desktop.set') void shell.manners?.look();
    },
  });
  powerMonitor.on('suspend', () => application.suspend());
  powerMonitor.on('resume', () => application.resume());
  // Linux and macOS tell it here; Windows ends the session through the window.
  powerMonitor.on('shutdown', () => app.quit());
  shell.manners = new Manners({
    application,
    log,
    hasTray: shell.hasTray,
    window: () => shell.window,
    openPlace: (place) => openPlace(shell, place),
    tray: {
      open: () => showWindow(shell),
      needs: () => openPlace(shell, '/needs'),
      pause: () => openPlace(shell, layerPath('control')),
      quit: () => app.quit(),
    },
  });
  await Promise.all([theme(), shell.manners.look()]);
}

function showWindow(shell: Shell): void {
  if (shell.started === null || shell.quitting === 'over') return;
  const { entryFolder, log } = shell.options;
  const { place } = shell;
  shell.place = null;
  if (shell.window !== null && !shell.window.isDestroyed()) {
    if (place !== null && shell.started.ok) goToPlace(shell.window, placeUrl(place), log);
    return focusWindow(shell.window);
  }
  const window = openWindow({
    url: shell.started.ok ? (place === null ? WINDOW_URL : placeUrl(place)) : PROBLEM_URL,
    stateFile: path.join(app.getPath('userData'), 'window-state.json'),
    preload: preloadFile(entryFolder),
    log,
  });
  watchClose(window, {
    facts: () => closeFacts(shell),
    inFlight: () => inFlightOf(shell).length,
    remember: (onClose) => rememberClose(shell, onClose),
    quit: () => void quit(shell),
  });
  window.on('focus', () => shell.manners?.looked());
  window.webContents.on('did-navigate-in-page', () => shell.manners?.looked());
  // Windows ends a session without `before-quit`.
  window.on('session-end', () => void quit(shell));
  window.once('closed', () => {
    if (shell.window === window) shell.window = null;
  });
  shell.window = window;
  return undefined;
}

/** The answer counts from now on, also where it cannot be written down. */
async function rememberClose(shell: Shell, onClose: 'background' | 'quit'): Promise<void> {
  if (shell.manners !== null) shell.manners.onClose = onClose;
  if (shell.started?.ok !== true) return;
  await shell.started.value.handlers['desktop.set']({ onClose }, { surface: 'window', name: 'shell' });
}

/**
 * Drains and ends; what is on its way is shown meanwhile, and asking once more ends the waiting. `app.exit` and not
 * `app.quit`: nothing may hold the process once the record is closed.
 */
async function quit(shell: Shell): Promise<void> {
  if (shell.quitting !== 'no') {
    shell.hurry.resolve();
    return;
  }
  shell.quitting = 'waiting';
  // A host that is just starting holds the profile: it is let up, then closed.
  await shell.startEnded.promise;
  const { started } = shell;
  if (started?.ok === true) {
    if (inFlightOf(shell).length > 0) openPlace(shell, layerPath('leaving'));
    await stopSafely(started.value, shell.options.log, shell.hurry.promise);
  }
  shell.quitting = 'over';
  shell.manners?.close();
  saveOpenWindow(shell);
  app.exit(started?.ok === false ? exitCodeOf(started.error.code) : 0);
}

/** `app.exit` closes windows without telling them, so the place is kept by closing here. */
function saveOpenWindow(shell: Shell): void {
  if (shell.window !== null && !shell.window.isDestroyed()) shell.window.close();
}
