import type { StepRow, TimelineRow } from '../../../shared/contract/views.ts';

/** The words of a run's own screen. */
export const text = {
  runs: 'Runs',
  run: (number: number) => `Run ${String(number).padStart(4, '0')}`,
  path: 'Where you are',
  tabs: 'Run',
  timeline: 'Timeline',
  steps: 'Steps',
  stepsDone: (done: number, total: number) => `${done} of ${total}`,
  evidence: 'Evidence',
  why: 'Why',
  live: 'Live',
  export: 'Export',
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop…',
  holds: (name: string) => `${name} has the right to act`,
  holdsHere: 'This device has the right to act',
  left: (time: string) => `${time} left`,
  decide: 'Decide what happened…',
  answer: 'Answer…',
  unclear: 'We can’t tell whether a step happened.',
  unclearMore: 'Nothing will be sent again until you decide.',
  asked: 'This run waits for your answer.',
  askedMore: 'Nothing is sent before that.',
  stopTitle: 'Stop this run?',
  stopBody: 'Nothing more will be sent by this run. What was already sent stays sent.',
  stopMore:
    'If a step is on its way right now, it finishes and is recorded, or it is shown as unclear. The other steps don’t run.',
  stopGo: 'Stop this run',
  stopKeep: 'Keep it running',
  pauseTitle: 'Pause this run?',
  pauseBody: 'A step that is on its way finishes and is recorded. Nothing new is sent until you resume.',
  pauseGo: 'Pause this run',
  gone: 'This run can’t be shown.',
  effects: 'Outside effects',
  outcome: 'Outcome',
  effectsLabel: 'What was done, over time',
  now: 'Now',
  legendSent: 'sent',
  legendRefused: 'refused, nothing sent',
  legendUnclear: 'unclear',
  legendGap: 'asleep or silent',
  noTimeline: 'Nothing has happened yet.',
  openWhy: (sentence: string) => `${sentence} Show why`,
  toEnd: 'Go to the latest',
  noSteps: 'This run has no steps yet.',
  visit: (visit: number) => `visit ${visit}`,
  attempts: (attempts: number) => `${attempts} attempts`,
  sent: 'Went in',
  came: 'Came out',
  nothingIn: 'Nothing went in yet.',
  nothingOut: 'Nothing came out yet.',
  bytes: (bytes: number) => `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`,
  cut: 'Only the beginning is shown.',
  showAll: 'Show all of it',
  copy: 'Copy',
  copied: 'Copied',
  copyRow: 'Copy as JSON',
  notCopied: 'Unable to copy',
  fingerprint: 'Fingerprint',
  evidenceLede: 'The record itself, as it was written. Nothing in it is ever changed or removed.',
  row: (seq: number) => `Row ${seq}`,
  rows: 'Rows of the record',
  noWhy: 'Nothing has been decided yet.',
  whyLede: 'Each time something asked to act: what was looked at, in this order, and what decided it.',
  lookedAt: 'What was looked at, in this order',
  decidedIt: 'Decided it',
  facts: 'Facts',
  asWanted: 'This worked as it should.',
  close: 'Close',
  yes: 'Fine',
  no: 'Not fine',
  saved: (name: string) => `Saved as ${name}`,
} as const;

const words: Readonly<Record<string, string>> = {
  trigger: 'Started by',
  lease: 'Right to act',
  intent: 'Written down',
  gate: 'Allowed',
  claim: 'Taken',
  fence: 'Last check',
  effect: 'Sent',
  settle: 'Recorded',
  successor: 'Next step',
  sync: 'Shared',
  recovery: 'Unclear',
  approval: 'Your answer',
  run: 'Run',
};

/** The screen's word for one of the ten. */
export function wordFor(word: string): string {
  return words[word] ?? word;
}

/** The same for a row of the timeline, where a word can turn into its opposite. */
export function wordForRow(row: Pick<TimelineRow, 'word' | 'mark'>): string {
  if (row.mark === 'gap') return 'Silent';
  if (row.word === 'gate' && row.mark === 'refused') return 'Not allowed';
  return wordFor(row.word);
}

export const stepWords: Readonly<Record<StepRow['status'], string>> = {
  waiting: 'Not yet',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  unclear: 'Unclear',
  'needs-approval': 'Needs your answer',
  refused: 'Refused',
  stopped: 'Not run',
};

export const kindWords: Readonly<Record<NonNullable<StepRow['effectKind']>, string>> = {
  'read-only': 'Only reads',
  'idempotent-by-key': 'Safe to repeat',
  verifiable: 'Can be checked',
  compensable: 'Can be undone',
  blind: 'Can’t be undone',
};
