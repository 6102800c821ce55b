import type { MissedRow, TriggerRow } from '../../../shared/contract/schedule-views.ts';

/** The words of the schedules screen. */
export const text = {
  title: 'Schedules',
  lede: 'What starts agents by itself',
  starts: 'Starts',
  agent: 'Agent',
  next: 'Next',
  last: 'Last run',
  now: 'Now',
  on: 'On',
  off: 'Off',
  onEvent: 'When it happens',
  noNext: '–',
  notYet: 'not yet',
  run: (number: number) => `Run ${String(number).padStart(4, '0')}`,
  openRun: (number: number) => `Open run ${String(number).padStart(4, '0')}`,
  openAgent: (name: string) => `Open the agent ${name}`,
  missedTitle: 'Missed',
  waitsForYou: (count: number) => (count === 1 ? '1 waits for you' : `${count.toLocaleString('en')} wait for you`),
  nothingWaits: 'Nothing waits for you.',
  wasDue: 'Was due',
  times: (count: number, isMore: boolean) => `${isMore ? 'At least ' : ''}${count.toLocaleString('en')} times since`,
  runNow: 'Run now',
  skip: 'Skip',
  runNowLabel: (name: string) => `Run now: ${name}, for the missed time`,
  skipLabel: (name: string) => `Skip: the missed time of ${name}`,
  note: 'A missed time is never run on a guess.',
  noteMore: 'What you run from here is the same occurrence: no other device runs it a second time.',
  webhooks: 'Calls are taken at',
  webhooksMore: 'Programs on this machine start an agent with POST and the secret it names.',
  emptyTitle: 'Nothing starts by itself',
  empty:
    'Give an agent a schedule here, or a folder to watch, a webhook or another agent to follow under “triggers” in its file. It is listed here with its next time, and with every time that was missed.',
  newSchedule: 'New schedule…',
  firstSchedule: 'Add the first schedule…',
  problem: 'The schedules can’t be read.',
  notDone: 'It was not done.',
} as const;

/** The words of the dialog that adds a schedule. */
export const newText = {
  heading: 'When should it start by itself?',
  agent: 'Agent',
  chooseAgent: 'Choose an agent',
  noAgent: 'Choose an agent first.',
  every: 'How often',
  hour: 'Every hour',
  day: 'Every day',
  workday: 'Monday to Friday',
  week: 'Every week',
  own: 'By a rule of my own',
  weekday: 'On',
  weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  time: 'At',
  minute: 'At these minutes of each hour',
  cron: 'Minute, hour, day of month, month, day of week',
  timeZone: 'By the clocks of',
  missed: 'When a time is missed because no device was awake',
  once: 'Run it once, as soon as a device is awake',
  skip: 'Leave it out; it stays listed as missed',
  each: 'Make up for each missed time, one by one',
  next: 'Next:',
  permitAgain:
    'The schedule becomes part of the agent’s file. It starts nothing until you have permitted the changed version.',
  incomplete: 'Fill in the time first.',
  cancel: 'Don’t add it',
  add: 'Add the schedule',
} as const;

export const kindIcons = {
  schedule: 'clock',
  file: 'file',
  webhook: 'globe',
  run: 'agents',
} as const satisfies Readonly<Record<TriggerRow['kind'], string>>;

/** What became of a missed time. */
export const stateWords: Readonly<Record<MissedRow['state'], string>> = {
  open: 'Waits for you',
  waiting: 'Waits for its turn',
  noted: 'Nothing to do',
  ran: 'Run since then',
  skipped: 'You skipped it',
};
