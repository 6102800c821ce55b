import { ipcMain } from 'electron';
import type { BrowserWindow, IpcMainInvokeEvent } from 'electron';
import { CALL_CHANNEL, CHANGE_CHANNEL } from '../../shared/contract/channels.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err } from '../../shared/lib/result.ts';
import type { Application, Caller } from '../bridge/application.ts';
import type { EventLog } from '../bridge/event-log.ts';
import type { Router } from '../bridge/router.ts';
import { isTrustedSender } from './electron-validate-sender.ts';

/** What the window's door needs. */
export interface IpcOptions {
  readonly application: Application;
  readonly router: Router;
  readonly log: EventLog;
  readonly windows: () => readonly BrowserWindow[];
  /** Told after each answer, so that the shell can follow a changed setting. */
  readonly answered: (route: unknown) => void;
}

/** Opens the window's door to the host. Every message passes the sender check, and there is no other channel. */
export function openIpcDoor(options: IpcOptions): void {
  const { application, router, log, windows, answered } = options;
  const isOurWindow = (id: number) => windows().some((window) => !window.isDestroyed() && window.webContents.id === id);

  ipcMain.handle(CALL_CHANNEL, async (event: IpcMainInvokeEvent, route: unknown, request: unknown) => {
    if (!isTrustedSender(event, isOurWindow)) {
      log.write({ event: 'forged-sender', webContentsId: event.sender.id });
      return err(problem('unauthorised', 'This page may not talk to Fencepost.'));
    }
    const caller: Caller = { surface: 'window', name: `window-${event.sender.id}` };
    const answer = await router.dispatch(route, request, caller);
    answered(route);
    return answer;
  });

  application.onChange((notice) => {
    for (const window of windows()) {
      if (!window.isDestroyed()) window.webContents.send(CHANGE_CHANNEL, notice);
    }
  });
}
