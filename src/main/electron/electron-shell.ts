import path from 'node:path';
import { app, powerMonitor, protocol, session } from 'electron';
import type { BrowserWindow } from 'electron';
import type { Problem } from '../../shared/contract/errors.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Application } from '../bridge/application.ts';
import type { EventLog } from '../bridge/event-log.ts';
import { EXIT_CODES, exitCodeOf } from '../bridge/exit-code.ts';
import { createRouter } from '../bridge/router.ts';
import { startSafely, stopSafely } from '../bridge/start-safely.ts';
import { openIpcDoor } from './electron-ipc.ts';
import { lockDownContents, lockDownSession } from './electron-lock-down.ts';
import { installMenu } from './electron-menu.ts';
import { linkAmong, placeOfLink } from '../../shared/contract/deep-link.ts';
import { NO_LINK_PATH } from '../../shared/contract/places.ts';
import { registerLinks } from './electron-links.ts';
import { answerSchemeRequest, placeUrl, PROBLEM_URL, SCHEME, WINDOW_URL } from './electron-scheme.ts';
import { followTheme } from './electron-theme.ts';
import { focusWindow, goToPlace, openWindow, preloadFile } from './electron-window.ts';

/** What the shell is told by the entry. */
export interface ShellOptions {
  /** The folder of the built entry; the preload and the window's files are beside it. */
  readonly entryFolder: string;
  readonly log: EventLog;
  readonly start: () => Promise<Result<Application, Problem>>;
}

interface Shell {
  readonly options: ShellOptions;
  started: Result<Application, Problem> | null;
  /** Settled once `started` is known. */
  readonly startEnded: PromiseWithResolvers<void>;
  window: BrowserWindow | null;
  /** Where the next window begins: what was asked for before there was one. */
  place: string | null;
  isStopping: boolean;
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
  const startEnded = Promise.withResolvers<void>();
  const shell: Shell = { options, started: null, startEnded, window: null, place: null, isStopping: false };
  lockDownContents(options.log);
  // Windows and Linux start a second copy with the link, or the first one; macOS tells the one that runs.
  followLink(shell, linkAmong(process.argv.slice(1)));
  app.on('second-instance', (_event, args) => followLink(shell, linkAmong(args)));
  app.on('open-url', (event, link) => {
    event.preventDefault();
    followLink(shell, link);
  });
  app.on('activate', () => showWindow(shell));
  app.on('window-all-closed', () => {
    // On macOS an application stays when its window is closed; without a host there is nothing to stay for.
    if (process.platform !== 'darwin' || shell.started?.ok !== true) app.quit();
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
  const started = await startSafely(options.start, options.log);
  shell.started = started;
  shell.startEnded.resolve();
  if (started.ok) await connect(shell, started.value);
  else process.stderr.write(`fencepost: ${started.error.message}\n${started.error.wayOut}\n`);
  // Asked to quit while it started: before-quit waited for this.
  if (!shell.isStopping) showWindow(shell);
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
    },
  });
  powerMonitor.on('suspend', () => application.suspend());
  powerMonitor.on('resume', () => application.resume());
  // Linux and macOS tell it here; Windows ends the session through the window.
  powerMonitor.on('shutdown', () => app.quit());
  await theme();
}

function showWindow(shell: Shell): void {
  if (shell.started === null || shell.isStopping) return;
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
  // Windows ends a session without `before-quit`.
  window.on('session-end', () => void quit(shell));
  window.once('closed', () => {
    if (shell.window === window) shell.window = null;
  });
  shell.window = window;
  return undefined;
}

/** Drains and ends. `app.exit` and not `app.quit`: nothing may hold the process once the record is closed. */
async function quit(shell: Shell): Promise<void> {
  if (shell.isStopping) return;
  shell.isStopping = true;
  // A host that is just starting holds the profile: it is let up, then closed.
  await shell.startEnded.promise;
  const { started } = shell;
  if (started?.ok === true) await stopSafely(started.value, shell.options.log);
  saveOpenWindow(shell);
  app.exit(started?.ok === false ? exitCodeOf(started.error.code) : 0);
}

/** `app.exit` closes windows without telling them, so the place is kept by closing here. */
function saveOpenWindow(shell: Shell): void {
  if (shell.window !== null && !shell.window.isDestroyed()) shell.window.close();
}
