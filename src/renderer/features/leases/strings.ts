import type { LeaseView } from '../../../shared/contract/lease-views.ts';
import type { IconName } from '../../ui/icon-shapes.tsx';

/** The words of the screen about the right to act. */
export const text = {
  title: 'Right to act',
  agents: (shown: number, total: number) => {
    const all = total === 1 ? '1 agent' : `${total.toLocaleString('en')} agents`;
    return shown === total ? all : `${shown.toLocaleString('en')} of ${all}`;
  },
  anyDevice: 'Any device',
  device: 'Device',
  noneTitle: 'No agent now',
  none: 'This device has the right to act for no agent at the moment.',
  showAll: 'Show all',
  ledeBefore: 'For each agent, ',
  ledeStrong: 'exactly one device has the right to act',
  ledeAfter: '. The others watch. It renews itself.',
  owners: 'How many agents each device may act for',
  nobody: 'Nobody',
  unknown: 'Not known here',
  agent: 'Agent',
  mayAct: 'May act',
  confirmed: 'Confirmed',
  ends: 'Ends in',
  now: 'Now',
  never: 'not yet',
  notSeen: 'not seen here',
  details: 'About this right to act',
  openAgent: 'Open the agent',
  numbers: 'Numbers for experts',
  version: 'Number of the right',
  holder: 'May act',
  actsInLeft: (left: string) => `Acts in ${left}`,
  renewed: 'Last confirmed',
  open: 'On their way',
  settled: 'Not yet known everywhere',
  length: 'Confirmed for',
  close: 'Close',
  emptyTitle: 'No agent has started yet',
  empty: 'When an agent runs for the first time, one device gets the right to act for it. It is listed here.',
  problem: 'The rights to act can’t be read.',
  select: (name: string) => `Show ${name}`,
} as const;

interface StateLook {
  readonly word: string;
  readonly icon: IconName;
  readonly needsPerson: boolean;
}

/** A word and a shape for each state; amber only where a person is needed. */
export const stateLooks: Readonly<Record<LeaseView['state'], StateLook>> = {
  held: { word: 'Held', icon: 'key', needsPerson: false },
  'hold-off': { word: 'Waits a moment', icon: 'clock', needsPerson: false },
  doubtful: { word: 'Unsure after sleep', icon: 'moon', needsPerson: false },
  expired: { word: 'Ran out', icon: 's-wait', needsPerson: false },
  free: { word: 'Free', icon: 's-wait', needsPerson: false },
  'went-back': { word: 'The record went back', icon: 'warn', needsPerson: true },
  unreachable: { word: 'Can’t be confirmed now', icon: 'warn', needsPerson: false },
  'waits-for-person': { word: 'Waits for a person', icon: 'user', needsPerson: true },
  moved: { word: 'Kept elsewhere now', icon: 'swap', needsPerson: false },
};

/** The words of taking over, raising, and never taking over by itself. */
export const actText = {
  takeOver: 'Take over…',
  takeOverHeading: (name: string) => `Take over ${name}?`,
  takeOverGo: 'Take over',
  leaveWith: (name: string) => `Leave it with ${name}`,
  leave: 'Leave it',
  midSend: (name: string) =>
    `If ${name} is in the middle of sending, you may have to decide about an unclear step. It sends nothing after that one.`,
  midSendNobody:
    'If the last device was in the middle of sending when it went away, you may have to decide about an unclear step.',
  bound: 'Number of this right',
  boundMore: 'It is taken over only while it has this number. If anything changed meanwhile, nothing is done.',
  byPerson: 'This never happens by itself. It is kept in the record.',
  changedTitle: 'It has changed meanwhile. Nothing was done.',
  changedNow: (number: number) => `It has number ${number} now.`,
  changedGo: 'Look at it as it is now',
  changedWhy: 'Look at it as it is now first',
  gone: 'There is nothing to take over any more.',
  bump: 'After a restore: raise it…',
  bumpHeading: (name: string) => `Raise the right to act of ${name}?`,
  bumpFact:
    'What keeps the right to act came back with an older record than this device has seen, as it does after a restore from a backup.',
  bumpMeaning:
    'Between the backup and now another device may have acted. Until you say what counts, nothing is sent for this agent.',
  bumpDoes:
    'Raising makes the next right newer than everything this device has seen. Whoever still believes in an older one is held back. Nothing is sent by raising it.',
  bumpCheck: 'First make sure that the restored record is the one to keep, and that no second copy of it is running.',
  bumpGo: 'Raise it',
  bumpLeave: 'Leave it as it is',
  never: 'Never take over automatically',
  neverOn:
    'When the device that may act goes silent, nobody takes over until you do it here. Its runs wait until then.',
  neverOff: 'When the device that may act goes silent, another one takes over by itself once the right has run out.',
} as const;
