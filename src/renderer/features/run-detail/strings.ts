import type { StepRow, TimelineRow } from '../../../shared/contract/views.ts';

/** The words of a run's own screen. */
export const text = {
  runs: 'Runs',
  run: (number: number) => `Run ${String(number).padStart(4, '0')}`,
  path: 'Where you are',
  tabs: 'Run',
  timeline: 'Timeline',
  graph: 'Graph',
  graphName: 'The states of this run, and where it stands',
  noGraph: 'The file of this version can’t be read, so there is no graph.',
  branch: (kind: 'workset' | 'fork') => (kind === 'fork' ? 'Branch' : 'Item'),
  branches: (kind: 'workset' | 'fork') => (kind === 'fork' ? 'Branches' : 'Items'),
  branchesOf: (title: string, visit: number) => (visit > 1 ? `${title}, visit ${visit}` : title),
  turnOf: (turn: number, title: string) => `turn ${turn} of ${title}`,
  callOf: (call: number, name: string, turn: string) => `call ${call}, ${name}, ${turn}`,
  branchState: 'State',
  branchStep: 'Step',
  branchSummary: 'Last event',
  branchRun: 'Run',
  branchesFailed: 'The items can’t be shown.',
  allBranches: 'All',
  noBranches: 'None stands like that now.',
  tries: 'Attempts',
  tryNumber: (number: number) => `Attempt ${number}`,
  retryAfter: (time: string) => `Tried again by itself after ${time}.`,
  turns: 'What the model was asked, and what it answered',
  turn: (turn: number) => `Turn ${turn}`,
  turnsBefore: (turns: number) =>
    turns === 1 ? '1 earlier turn is not shown.' : `${turns} earlier turns are not shown.`,
  tokens: (input: number, output: number) =>
    `${input.toLocaleString('en')} tokens in, ${output.toLocaleString('en')} out`,
  cost: (cost: number) => `cost ${cost.toLocaleString('en', { maximumFractionDigits: 4 })}`,
  total: 'All turns together',
  answerText: 'Answer',
  noAnswer: 'No answer yet.',
  onlyCalls: 'No text, only calls.',
  callArguments: 'Arguments',
  callResult: 'Result',
  noResult: 'No result yet.',
  calls: 'Calls that it asked for',
  steps: 'Steps',
  stepsDone: (done: number, total: number) => `${done} of ${total}`,
  evidence: 'Evidence',
  why: 'Why',
  live: 'Live',
  export: 'Export',
  pause: 'Pause…',
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
  earlierEntries: (count: number) =>
    `${count === 1 ? '1 earlier entry is' : `${count.toLocaleString('en')} earlier entries are`} not shown here. The export has all of them.`,
  earlierSteps: (count: number) =>
    `${count === 1 ? '1 earlier step is' : `${count.toLocaleString('en')} earlier steps are`} not shown here. The export has all of them.`,
  earlierWhy: (count: number) =>
    `${count === 1 ? '1 earlier decision is' : `${count.toLocaleString('en')} earlier decisions are`} not shown here. The export has all of them.`,
  noTimeline: 'Nothing has happened yet.',
  openWhy: (sentence: string) => `${sentence} Show why`,
  toEnd: 'Go to the latest',
  liveTexts: 'On its way now',
  liveLead: 'Still running. Nothing of this is recorded yet.',
  liveText: (title: string) => `What ${title} tells so far`,
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
  copyRow: 'Copy as JSON',
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
  if (row.word === 'intent' && row.mark === 'refused') return 'Not taken';
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
