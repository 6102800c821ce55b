import { dialog } from 'electron';
import type { BrowserWindow } from 'electron';
import { closeAnswer, closeQuestion, closeStep } from './close-step.ts';
import type { CloseFacts } from './close-step.ts';

/** What the shell does about a window that is about to close. */
export interface CloseActions {
  readonly facts: () => CloseFacts;
  readonly inFlight: () => number;
  /** Keeps the answer in the profile. */
  readonly remember: (onClose: 'background' | 'quit') => Promise<void>;
  readonly quit: () => void;
}

/** Hears the window's close button and does what it means. A question that is cancelled leaves the window as it was. */
export function watchClose(window: BrowserWindow, actions: CloseActions): void {
  let isAsking = false;
  const ask = async () => {
    isAsking = true;
    const asked = await dialog.showMessageBox(window, closeQuestion(actions.inFlight(), process.platform));
    isAsking = false;
    const chosen = closeAnswer(asked.response);
    if (chosen === null) return;
    await actions.remember(chosen);
    if (chosen === 'quit') actions.quit();
    else if (!window.isDestroyed()) window.close();
  };
  window.on('close', (event) => {
    const step = closeStep(actions.facts());
    if (step === 'close' || step === 'stay') return;
    event.preventDefault();
    if (step !== 'ask') actions.quit();
    else if (!isAsking) void ask().finally(() => (isAsking = false));
  });
}
