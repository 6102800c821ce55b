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
import { answerSchemeRequest, PROBLEM_URL, SCHEME, WINDOW_URL } from './electron-scheme.ts';
import { followTheme } from './electron-theme.ts';
import { focusWindow, openWindow, preloadFile } from './electron-window.ts';

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
  const shell: Shell = { options, started: null, startEnded, window: null, isStopping: false };
  lockDownContents(options.log);
  app.on('second-instance', () => showWindow(shell));
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
  installMenu(process.platform);
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
  if (shell.window !== null && !shell.window.isDestroyed()) return focusWindow(shell.window);
  const { entryFolder, log } = shell.options;
  const window = openWindow({
    url: shell.started.ok ? WINDOW_URL : PROBLEM_URL,
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
