import type { LeaseView } from '../../../shared/contract/views.ts';

/** The words of the screen about the right to act. */
export const text = {
  title: 'Right to act',
  agents: (count: number) => (count === 1 ? '1 agent' : `${count.toLocaleString('en')} agents`),
  ledeBefore: 'For each agent, ',
  ledeStrong: 'exactly one device has the right to act',
  ledeAfter: '. The others watch. It renews itself.',
  owners: 'How many agents each device may act for',
  nobody: 'Nobody',
  thisDevice: 'This device',
  agent: 'Agent',
  mayAct: 'May act',
  confirmed: 'Confirmed',
  ends: 'Ends in',
  now: 'Now',
  never: 'not yet',
  anyDevice: 'Any device',
  device: 'Device',
  details: 'About this right to act',
  heading: (name: string) => name,
  openAgent: 'Open the agent',
  version: 'Version of the right',
  holder: 'May act',
  renewed: 'Last confirmed',
  open: 'On their way',
  settled: 'Not yet known everywhere',
  length: 'Confirmed for',
  takeOver:
    'Taking over needs a second device. Until then this device keeps the right, and gives it back when it is quit.',
  close: 'Close',
  emptyTitle: 'No agent has started yet',
  empty: 'When an agent runs for the first time, one device gets the right to act for it. It is listed here.',
  problem: 'The rights to act can’t be read.',
  select: (name: string) => `Show ${name}`,
} as const;

export const stateWords: Readonly<Record<LeaseView['state'], string>> = {
  held: 'Held',
  'hold-off': 'Waits a moment before it acts',
  doubtful: 'Unsure after sleep',
  expired: 'Ran out',
  free: 'Let go',
  'went-back': 'The record went back',
  unreachable: 'Can’t be confirmed now',
};
