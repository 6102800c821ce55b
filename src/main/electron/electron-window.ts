import path from 'node:path';
import { app, BrowserWindow, nativeTheme, screen } from 'electron';
import type { EventLog } from '../bridge/event-log.ts';
import { MIN_HEIGHT, MIN_WIDTH, readWindowState, saveWindowState } from './electron-window-state.ts';

/** The window's ground before its style has loaded: the same two colours, so that it does not flash. */
const GROUND = { light: '#ffffff', dark: '#17181b' };
/** How often a page that crashed is loaded again by itself. */
const RELOADS_MAX = 3;

/** What a window shows and where its place is kept. */
export interface WindowOptions {
  readonly url: string;
  readonly stateFile: string;
  readonly preload: string;
  readonly log: EventLog;
}

/** Where the built preload is, seen from the built entry. */
export function preloadFile(entryFolder: string): string {
  return path.join(entryFolder, '..', 'preload', 'index.cjs');
}

/** The only place that makes a window. Every option that protects is stated, also where it is Electron's default. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { url, stateFile, preload, log } = options;
  const state = readWindowState(
    stateFile,
    screen.getAllDisplays().map((display) => display.workArea),
  );
  const window = new BrowserWindow({
    width: state.width,
    height: state.height,
    ...state.position,
    minWidth: MIN_WIDTH,
    minHeight: MIN_HEIGHT,
    show: false,
    title: 'Fencepost',
    backgroundColor: ground(),
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      plugins: false,
      // Its dictionaries would be fetched from a server.
      spellcheck: false,
      devTools: !app.isPackaged,
      webgl: false,
    },
  });
  if (state.isMaximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  const follow = () => window.setBackgroundColor(ground());
  nativeTheme.on('updated', follow);
  window.once('closed', () => nativeTheme.off('updated', follow));
  window.on('close', () =>
    saveWindowState(stateFile, { ...window.getNormalBounds(), isMaximized: window.isMaximized() }),
  );
  reloadAfterCrash(window, log);
  // A failure is logged below; the window then shows Chromium's own page.
  void window.loadURL(url).catch(() => log.write({ event: 'load-failed' }));
  return window;
}

/** Brings a window to the front, from wherever it is. */
export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** Goes to another place of the document that is shown: nothing is loaded again, and nothing that was typed is lost. */
export function goToPlace(window: BrowserWindow, url: string, log: EventLog): void {
  // The same address once more would load the page again.
  if (window.webContents.getURL() === url) return;
  void window.loadURL(url).catch(() => log.write({ event: 'load-failed' }));
}

function ground(): string {
  return nativeTheme.shouldUseDarkColors ? GROUND.dark : GROUND.light;
}

/** The host lives in another process: a crashed page loses nothing but what was typed. */
function reloadAfterCrash(window: BrowserWindow, log: EventLog): void {
  let reloads = 0;
  window.webContents.on('render-process-gone', (_event, details) => {
    log.write({ event: 'page-gone', reason: details.reason, exitCode: details.exitCode });
    if (details.reason === 'clean-exit' || reloads >= RELOADS_MAX) return;
    reloads += 1;
    window.webContents.reload();
  });
}
