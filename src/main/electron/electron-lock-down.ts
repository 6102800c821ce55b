import { app } from 'electron';
import type { Session, WebContents, WebPreferences } from 'electron';
import type { EventLog } from '../bridge/event-log.ts';
import { isWindowDocument, SCHEME } from './electron-scheme.ts';

/**
 * What the network of a window may be: our own files, and what a page makes in its own memory. The content security
 * policy says so already; this holds for what it does not govern, such as a prefetch or a navigation.
 */
const OWN_PROTOCOLS = new Set([`${SCHEME}:`, 'data:', 'blob:', 'devtools:']);

/** Refuses every permission, device, download and foreign request of a session. Screen capture has no handler: none is had. */
export function lockDownSession(session: Session, log: EventLog): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    log.write({ event: 'permission-denied', permission });
    answer(false);
  });
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.webRequest.onBeforeRequest((details, answer) => {
    const isOwn = URL.canParse(details.url) && OWN_PROTOCOLS.has(new URL(details.url).protocol);
    if (!isOwn) log.write({ event: 'request-denied', kind: details.resourceType });
    answer({ cancel: !isOwn });
  });
  session.on('will-download', (event, item) => {
    // An export is made in the page's own memory and goes where the person says.
    if (!item.getURL().startsWith(`blob:${SCHEME}://`)) event.preventDefault();
  });
}

/** Ties down every page that this process ever makes, whoever makes it. */
export function lockDownContents(log: EventLog): void {
  app.on('web-contents-created', (_event, contents) => {
    denyNavigation(contents, log);
    contents.setWindowOpenHandler(() => {
      log.write({ event: 'window-denied' });
      return { action: 'deny' };
    });
    contents.on('will-attach-webview', (event) => {
      event.preventDefault();
      log.write({ event: 'webview-denied' });
    });
    if (contents.getType() === 'window' && !isIsolated(contents)) {
      log.write({ event: 'unsafe-window-closed' });
      contents.close();
    }
  });
}

function denyNavigation(contents: WebContents, log: EventLog): void {
  const deny = (event: { readonly url: string; readonly isMainFrame: boolean; preventDefault(): void }) => {
    // Reloading is a navigation to the same document.
    if (event.isMainFrame && isWindowDocument(event.url)) return;
    event.preventDefault();
    log.write({ event: 'navigation-denied', isMainFrame: event.isMainFrame });
  };
  contents.on('will-navigate', deny);
  contents.on('will-frame-navigate', deny);
  contents.on('will-redirect', deny);
}

/** The window factory states every option; this notices if a page ever comes from anywhere else. */
function isIsolated(contents: WebContents & { readonly getLastWebPreferences?: () => WebPreferences | null }): boolean {
  // Electron has it without declaring it any longer.
  const preferences = contents.getLastWebPreferences?.();
  if (preferences === undefined || preferences === null) return true;
  const { contextIsolation, sandbox, nodeIntegration, webSecurity, webviewTag } = preferences;
  return (
    contextIsolation === true &&
    sandbox === true &&
    nodeIntegration !== true &&
    webSecurity !== false &&
    webviewTag !== true
  );
}
