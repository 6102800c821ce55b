import type { CoordinatorCheck, CoordinatorView, MovingAgent } from '../../../../shared/contract/coordinator-views.ts';
import type { IconName } from '../../../ui/icon-shapes.tsx';

/** The words about where the right to act is kept. */
export const text = {
  title: 'Where the right to act is kept',
  lede: 'Devices that keep it in the same place never act for the same agent at the same time.',
  problem: 'Where the right to act is kept can’t be read.',
  place: 'Kept by',
  states: {
    ready: 'Answers',
    unreachable: 'Can’t be reached',
    'went-back': 'Came back with an older record',
  } satisfies Record<CoordinatorView['state'], string>,
  answeredIn: (ms: number) => `in ${ms < 1 ? '<1' : Math.round(ms).toLocaleString('en')} ms`,
  change: 'Change…',
  numbers: 'Ids, versions, fingerprint',
  identity: 'Identity',
  incarnation: 'Life',
  hubFingerprint: 'Fingerprint of the hub',
  hubAddresses: 'Addresses of the hub',
  pairedHub: 'Paired hub',
  none: 'not known yet',
} as const;

/** The words about a server that came back older. */
export const restoreText = {
  note: 'It came back with an older record, as after a restore. Nothing is sent until you say what counts.',
  open: 'It is the right one…',
  heading: 'Is this the right server?',
  fact: 'The server that keeps the right to act answers, but with an older record than this device has seen: it was restored from a backup, or another server took its place.',
  meaning:
    'Between the backup and now another device may have acted. If a second copy of the server is still running, two devices could act at once.',
  does: 'If you say that it is the right one, it begins a new life: whatever was held before counts for nothing. Every agent then waits under “Right to act” until you raise it there. Nothing is sent by this.',
  check: 'First make sure that no other copy of this server is running.',
  go: 'The server was restored; it is the right one',
  leave: 'Leave it',
} as const;

/** The words about the hub on this device. */
export const hubText = {
  label: 'This device is the hub',
  description:
    'Other devices on your network ask this one who may act. While it is asleep or off, none of them begins anything new.',
  port: 'Port',
  addresses: 'Addresses',
  noAddresses: 'No address that other devices could use',
  fingerprint: 'Fingerprint',
  fingerprintHelp: 'Other devices check it when they connect. It comes with the pairing link.',
  trouble: 'The hub is not running.',
  startHeading: 'Make this device the hub?',
  startMore:
    'The hub is the device that the others are paired with and ask who may act. It will answer on your network at this port. Only devices that you paired are answered; all of it is encrypted.',
  startKeep:
    'A hub should be awake whenever other devices are to act: a desktop or a small server rather than a laptop.',
  startNext: 'Nothing moves yet: what this device keeps stays where it is until you move it.',
  portHelp: 'Between 1 and 65535. The usual one is 7411.',
  portMistake: 'A port is a number between 1 and 65535.',
  start: 'Make it the hub',
  dont: 'Leave it off',
  stopHeading: 'Stop being the hub?',
  stopMore:
    'Devices that keep the right to act here cannot begin anything new until it runs again. Nothing is lost, and what is already on its way is recorded when it comes back.',
  stopUsed: 'This device keeps its own right to act in this hub as well: it stops too.',
  stop: 'Stop being the hub',
  keep: 'Keep it on',
} as const;

/** The words of choosing, testing and moving. */
export const choiceText = {
  heading: 'Where should the right to act be kept?',
  steps: {
    choose: 'The place',
    fields: 'How to reach it',
    test: 'Does it work?',
    move: 'Move there',
    progress: 'Moving',
  },
  places: 'Places',
  names: {
    embedded: 'This device only',
    'this-hub': 'This device as the hub',
    hub: 'The hub I’m paired with',
    postgres: 'PostgreSQL',
    etcd: 'etcd',
  },
  about: {
    embedded: 'In its own record. No other device takes part.',
    'this-hub': 'In the hub on this device. Paired devices share it while this one is awake.',
    hub: 'In the hub of another device of yours.',
    postgres: 'A database, version 13 or later, that all of your devices reach.',
    etcd: 'A cluster, version 3.5 or later, that all of your devices reach.',
  },
  pairedWith: (name: string) => `In the hub on ${name}.`,
  hubIsOff: 'Turn on “This device is the hub” first.',
  notPaired: 'Pair this device with a hub first, under “Devices and sync”.',
  isUsed: 'It is kept there now.',
  chooseFirst: 'Choose a place first',
  missing: 'This is needed.',
  notPort: 'A port is a number between 1 and 65535.',
  notAddress: 'Each one begins with https:// or http://.',
  tooMany: 'At most nine.',
  fields: {
    host: ['Host', 'Its name or address.'],
    port: ['Port', 'Usually 5432.'],
    database: ['Database', 'It must exist.'],
    user: ['User', 'With the rights of the installed role, no more.'],
    optionalUser: ['User', 'Empty if it asks for none.'],
    password: ['Password', 'Kept with the other secrets and never shown. Empty keeps the one from before.'],
    authorityPem: [
      'Certificate authority',
      'In PEM, if the server’s certificate is from one of your own. Empty: those of the system.',
    ],
    endpoints: ['Addresses', 'One to a line, such as https://10.0.0.5:2379.'],
    prefix: ['Prefix', 'All keys begin with it. The same on every device.'],
    certificatePem: ['Certificate of this device', 'In PEM, if the cluster asks for one.'],
    privateKeyPem: [
      'Its private key',
      'In PEM. Kept with the other secrets and never shown. Empty keeps the one from before.',
    ],
  },
  tls: 'Encryption',
  tlsVerify: 'Encrypted, certificate checked',
  tlsOff: 'Not encrypted',
  tlsOffMore: 'Only for a server on this machine: the password and the record go in the clear.',
  dont: 'Leave it as it is',
  back: 'Back',
  next: 'Go on',
  test: 'Test it',
  testAgain: 'Test again',
  testing: 'Testing… Nothing is changed by it.',
  tested: (name: string) => `What was found at ${name}. Nothing was changed.`,
  notUsable: 'It can’t be used yet',
  notTested: 'Test it first',
  moveLead: (name: string) => `All agents move, one after the other, to: ${name}. Nothing is sent by moving.`,
  moveFacts: [
    ['Each agent is drained first', 'It finishes the step it is on and begins nothing new meanwhile.'],
    [
      'The old place is closed for it',
      'From then on it is given to nobody there. What other devices may not know yet moves along.',
    ],
    [
      'Other devices follow or are told',
      'One that still uses the old place cannot act for a moved agent. It says where the agent went.',
    ],
    ['You can leave it off', 'What has been moved by then stays moved; the others stay where they are.'],
  ],
  move: 'Move all agents there',
  moveSafe: 'Don’t move',
} as const;

/** The words of a move under way. */
export const moveText = {
  title: (name: string) => `Moving to ${name}`,
  doneTitle: (name: string) => `Moved to ${name}`,
  endedTitle: (name: string) => `The move to ${name} was left off`,
  failedTitle: (name: string) => `The move to ${name} did not finish`,
  count: (moved: number, all: number) =>
    all === 0 ? 'No agent had to move' : `${moved.toLocaleString('en')} of ${all.toLocaleString('en')} moved`,
  list: 'Agents that move',
  leaveOff: 'Leave off the move',
  close: 'Close',
  goesOn: 'You can close this. The move goes on.',
  starting: 'The move begins…',
} as const;

interface Look {
  readonly icon: IconName;
  readonly tone: '' | 'ok' | 'you' | 'run';
  readonly word: string;
}

/** A shape and a word for what a test found. */
export const checkLooks: Readonly<Record<CoordinatorCheck['state'], Look>> = {
  ok: { icon: 's-done', tone: 'ok', word: 'Fine' },
  warning: { icon: 'warn', tone: 'you', word: 'Works, with a warning' },
  failed: { icon: 's-fail0', tone: 'you', word: 'Doesn’t work' },
  skipped: { icon: 's-wait', tone: '', word: 'Not tried' },
};

/** A shape and a word for where an agent stands in a move. */
export const movingLooks: Readonly<Record<MovingAgent['state'], Look>> = {
  waits: { icon: 's-wait', tone: '', word: 'Waits' },
  drains: { icon: 's-run', tone: 'run', word: 'Finishes its step' },
  moved: { icon: 's-done', tone: 'ok', word: 'Moved' },
  'held-elsewhere': { icon: 's-else', tone: '', word: 'Another device has it' },
  failed: { icon: 's-fail0', tone: 'you', word: 'Not moved' },
};
