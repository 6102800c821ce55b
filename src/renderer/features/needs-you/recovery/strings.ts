/** The words of one kind of tool: "was sent" fits a request, "was run" a program. */
export interface ActWords {
  /** After "whether it was", "it was". */
  readonly done: string;
  readonly again: string;
  readonly againButton: (from: string) => string;
  readonly undoButton: (from: string) => string;
  readonly one: string;
}

const sent: ActWords = {
  done: 'sent',
  again: 'send it now',
  againButton: (from) => `Send it now from ${from}`,
  undoButton: (from) => `Undo it, then send from ${from}`,
  one: '1 request',
};

const run: ActWords = {
  done: 'run',
  again: 'run it now',
  againButton: (on) => `Run it now on ${on}`,
  undoButton: (on) => `Undo it, then run it on ${on}`,
  one: '1 command',
};

const written: ActWords = {
  done: 'written',
  again: 'write it now',
  againButton: (on) => `Write it now on ${on}`,
  undoButton: (on) => `Undo it, then write it on ${on}`,
  one: '1 file',
};

const called: ActWords = {
  done: 'called',
  again: 'call it now',
  againButton: (from) => `Call it now from ${from}`,
  undoButton: (from) => `Undo it, then call it from ${from}`,
  one: '1 call',
};

const asked: ActWords = {
  done: 'asked',
  again: 'ask it now',
  againButton: (from) => `Ask it now from ${from}`,
  undoButton: (from) => `Undo it, then ask it from ${from}`,
  one: '1 question',
};

/** The words for a tool; an unknown one sends. */
export function actWords(tool: string): ActWords {
  if (tool.startsWith('shell') || tool.startsWith('script')) return run;
  if (tool.startsWith('mcp')) return called;
  if (tool.startsWith('model')) return asked;
  return tool.startsWith('file') ? written : sent;
}

/** Seconds in which a send can still be called off. */
export const COUNTDOWN_SECONDS = 5;

export const text = {
  heading: 'Did this happen?',
  close: 'Close, decides nothing',
  showExactly: 'Show exactly',
  exactlyThis: 'Exactly this',
  exactlyWhy: 'The whole input of this step. Hidden characters are shown as codes.',
  fingerprint: 'Fingerprint',
  closeExactly: 'Close',
  waiting: (since: string) => `waiting ${since}`,
  run: (agent: string, number: string) => `${agent}, run ${number}`,
  cannotTell: (done: string) => `We can’t tell whether it was ${done}.`,
  nothingAgain: 'Nothing will be sent again until you decide. You can take your time.',
  far: 'How far it got',
  farKnown: 'known',
  farUnknown: 'not known',
  know: 'What we know',
  zone: (zone: string) => `local time, ${zone}`,
  dontKnow: 'What we don’t know',
  nothingUnknown: 'Nothing that we could still find out.',
  isNew: 'New',
  announceNew: (sentence: string) => `New evidence: ${sentence}`,
  late: 'A late answer arrived.',
  checkHeading: 'Check before you answer',
  checkOnlyReads: 'Only reads.',
  lastLooked: (when: string) => `Last looked: ${when}`,
  never: 'never',
  lookNow: 'Look now',
  looking: 'Looking…',
  suggested: 'Suggested',
  noCheckTitle: 'No check is offered here',
  noCheck: 'This step has no look that only reads. Look in the target yourself if you can.',
  safeAgainTitle: (until: string) => `Sending again is safe until ${until}`,
  safeAgain: 'The target recognises a repeat until then and does it once.',
  safeOver: (until: string) => `The target recognised a repeat until ${until}. That time is over.`,
  waitFor: (device: string) => `Wait for ${device}`,
  waitingFor: (device: string, since: string) => `Waiting for ${device} since ${since}`,
  waitedFor: (device: string, since: string) => `You waited for ${device} since ${since}`,
  waitWhy: 'It may hold the answer.',
  waitingWhy: 'Nothing is decided. You are asked again when its record arrives.',
  lastSeen: (clock: string, ago: string) => `Last heard of ${clock}, ${ago}.`,
  neverSeen: 'Not heard of yet.',
  wait: 'Wait for it',
  stopWaiting: 'Don’t wait',
  answers: 'Your answer',
  columns: ['Your answer', 'What happens then', 'Sends', 'Can be reopened'],
  noUndo: 'No undo',
  reason: 'Reason (optional), kept with your decision',
  numbers: 'Ids, versions, fingerprint',
  chooseFirst: (device: string) => `Choose an answer first. It is recorded as you, on ${device}.`,
  chooseFirstShort: 'Choose an answer first',
  recordedAs: (device: string) => `Recorded as you, on ${device}.`,
  decideLater: 'Decide later',
  doIt: 'Do what I chose',
  carryOn: 'Carry on',
  stopHere: 'Stop here',
  countdown: (seconds: number) => (seconds === 1 ? 'Starts in 1 second' : `Starts in ${seconds} seconds`),
  countdownHint: 'Nothing has been sent yet.',
  cancel: 'Cancel',
  cancelled: 'Cancelled. Nothing was sent, nothing is decided.',
  cancelledByEvidence:
    'Something new arrived, so the countdown was stopped. Nothing was sent. Read it and choose again.',
  deciding: 'Recording…',
  confirmHeading: 'This may happen twice, and it can’t be undone',
  confirmWhy: (title: string) =>
    `If the first attempt did go through, “${title}” happens a second time. Nobody can check that, and nobody can take it back.`,
  confirmWord: 'twice',
  confirmLabel: (word: string) => `Type “${word}” to go on`,
  confirmGo: 'Go on to the countdown',
  confirmBack: 'Go back, decides nothing',
  decided: 'Decided',
  decidedBy: (by: string, where: string, when: string) => `By ${by}${where}, ${when}.`,
  onDevice: (device: string) => ` on ${device}`,
  onThisDevice: ' on this device',
  thisDevice: 'this device',
  alreadyDecided: 'Already decided.',
  canReopen: 'It can be reopened until the next step has started.',
  canReopenAnyTime: 'It can be reopened at any time.',
  cannotReopen: 'This can’t be taken back any more.',
  reopen: 'Reopen',
  backToQueue: 'Back to the queue',
  record: 'The evidence stays with the run.',
  couldNotLoad: 'This item can’t be shown.',
} as const;

/** How a recorded choice reads. */
export function choiceWords(choice: string, done: string): string {
  switch (choice) {
    case 'it-happened':
      return `It was ${done}. The run carries on.`;
    case 'send-again':
      return `It wasn’t ${done}. It is done again from the device that decided.`;
    case 'undo-then-send':
      return 'The first attempt is undone, then it is done again.';
    case 'stop-here':
      return 'Stopped here. Nothing is sent.';
    case 'it failed':
      return 'It answered with an error.';
    case 'repeat':
      return 'It was repeated by itself: the target does a repeat only once.';
    default:
      return choice;
  }
}
