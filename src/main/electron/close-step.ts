import type { DesktopSettings } from '../../shared/contract/desktop-views.ts';

/** What is known when a window is about to close. */
export interface CloseFacts {
  /** Without a host there is nothing to stay for. */
  readonly isHostRunning: boolean;
  readonly hasTray: boolean;
  readonly onClose: DesktopSettings['onClose'];
  /** `waiting`: what is on its way gets its time. `over`: everything is closed, and the window may go. */
  readonly quitting: 'no' | 'waiting' | 'over';
}

/** `close`: let it go. `stay`: let it go and run on. `hurry`: the same as quitting once more. */
export type CloseStep = 'close' | 'ask' | 'stay' | 'quit' | 'hurry';

/** What closing the window means. Running on is never chosen where nothing would bring the window back. */
export function closeStep(facts: CloseFacts): CloseStep {
  if (facts.quitting === 'over' || !facts.isHostRunning) return 'close';
  if (facts.quitting === 'waiting') return 'hurry';
  if (!facts.hasTray || facts.onClose === 'quit') return 'quit';
  return facts.onClose === 'background' ? 'stay' : 'ask';
}

/** Whether the process lives on when its last window is gone, however that came about: nobody can be asked then. */
export function livesWithoutWindow(facts: CloseFacts): boolean {
  return closeStep(facts) === 'stay';
}

/** Whether a start shows no window: the system started it at sign-in, nobody asked for a place, and an icon is there instead. */
export function startsWithoutWindow(of: {
  readonly isLoginStart: boolean;
  readonly hasTray: boolean;
  readonly isHostRunning: boolean;
  readonly place: string | null;
}): boolean {
  return of.isLoginStart && of.hasTray && of.isHostRunning && of.place === null;
}

/** As the system's dialog takes it; the first button has the focus. */
export interface CloseQuestion {
  readonly type: 'question';
  readonly message: string;
  readonly detail: string;
  readonly buttons: string[];
  readonly defaultId: number;
  readonly cancelId: number;
  readonly noLink: true;
}

/** What the question about closing says. Its buttons name what they do, and cancelling decides nothing. */
export function closeQuestion(inFlight: number, platform: NodeJS.Platform): CloseQuestion {
  const where = platform === 'darwin' ? 'in the menu bar' : 'beside the clock';
  const under =
    inFlight === 0
      ? ''
      : `${inFlight === 1 ? 'One step is' : `${inFlight} steps are`} on the way right now. If you quit, what is not over in five seconds becomes unclear. `;
  return {
    type: 'question',
    message: 'Keep your agents running when the window is closed?',
    detail: `${under}In the background they go on, and the icon ${where} brings the window back. This is asked once; you can change it in the settings.`,
    buttons: ['Keep running in the background', 'Quit Fencepost', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  };
}

/** What a button of that question chose; `null` for nothing. */
export function closeAnswer(button: number): 'background' | 'quit' | null {
  if (button === 0) return 'background';
  return button === 1 ? 'quit' : null;
}
