import { WINDOW_ORIGIN } from './electron-scheme.ts';

/** What is looked at of the frame that sent a message. */
export interface SenderFrame {
  readonly parent: unknown;
  readonly origin: string;
}

/** What is looked at of a message; Electron's `IpcMainInvokeEvent` has this shape. */
export interface SenderEvent {
  readonly senderFrame: SenderFrame | null;
  readonly sender: { readonly id: number; readonly mainFrame: unknown };
}

/**
 * Whether a message comes from the top frame of one of our windows while it shows our own files. The preload runs in
 * whatever document a frame loads, so the window alone proves nothing.
 */
export function isTrustedSender(event: SenderEvent, isOurWindow: (webContentsId: number) => boolean): boolean {
  try {
    const frame = event.senderFrame;
    // Null: the frame has gone or has moved on to another document since it sent this.
    if (frame === null || frame === undefined) return false;
    if (!isOurWindow(event.sender.id)) return false;
    if (frame.parent !== null || frame !== event.sender.mainFrame) return false;
    return frame.origin === WINDOW_ORIGIN;
  } catch {
    // Reading a frame throws once Chromium has disposed of it.
    return false;
  }
}
