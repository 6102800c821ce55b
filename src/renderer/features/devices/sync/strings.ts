import type { RelayChoice } from '../../../../shared/contract/sync-requests.ts';

const figure = (count: number): string => count.toLocaleString('en');
const entries = (count: number): string => (count === 1 ? '1 entry' : `${figure(count)} entries`);

/** The words of the sync section. */
export const text = {
  title: 'Sync',
  problem: 'How sync stands can’t be read.',
  through: (relay: string) => `Through ${relay}, end-to-end encrypted`,
  common: 'Common name',
  commonHelp: 'All devices that share the same record show the same common name.',
  synced: 'Last synced',
  notYet: 'Not synced yet',
  syncNow: 'Sync now',
  stop: 'Stop sharing…',
  table: 'Devices that share the record',
  columns: {
    device: 'Device',
    now: 'Now',
    rights: 'Right to act for',
    sent: 'Sent to it',
    received: 'Received from it',
    clock: 'Clock',
    acts: 'Change',
  },
  thisDevice: 'This device',
  version: (version: string) => (version === '' ? 'Version not known' : `Version ${version}`),
  now: {
    here: 'Online',
    inFront: 'In front of you',
    away: 'Away',
    silent: 'Silent',
    letGo: 'Let go',
    aside: 'Set aside',
    unseen: 'Not seen yet',
    seen: 'Seen',
    since: 'Since',
  },
  agents: (count: number) => (count === 0 ? 'None' : count === 1 ? '1 agent' : `${figure(count)} agents`),
  allOf: (count: number) => (count === 0 ? 'Nothing yet' : `All ${entries(count)}`),
  handedOver: (count: number) => `${figure(count)} handed over`,
  notHandedOver: (count: number) => `${entries(count)} to hand over`,
  oldest: 'Oldest',
  waitForIt: (count: number) => `${entries(count)} ${count === 1 ? 'waits' : 'wait'}`,
  upTo: (count: number, all: number) => `Up to ${figure(count)} of ${figure(all)}`,
  toCome: (count: number) => `${entries(count)} to come`,
  keptApart: (count: number) => `${entries(count)} kept apart`,
  nothingSent: 'Nothing is sent to it',
  nothingTaken: 'Nothing more is taken in',
  clockRight: 'Right',
  clockUnknown: 'Not known',
  letGo: 'Let go…',
  letGoNamed: (name: string) => `Let go of ${name}`,
  newIdentity: 'New identity…',
  lookAgain: 'Look again',
  lookAgainNamed: (name: string) => `Look again at ${name}`,
  silentTitle: (name: string) => `Nothing was heard of ${name} for two weeks or more.`,
  silentMore: 'Everything is kept for it meanwhile. If you no longer have it, let it go.',
  wordsKept: 'The recovery words are still kept on this device.',
  wordsKeptMore: 'Write them down, then let this device forget them.',
  showWords: 'Show the words…',
  catchingUp: 'Catching up',
  catchUp: (done: number, total: number) => `${figure(done)} of ${figure(total)} entries`,
} as const;

/** What teaches where nothing is shared. */
export const emptyText = {
  title: 'Not shared with other devices',
  more: 'Share the record, and every device of yours shows all runs, questions and decisions, also while the others are off. What is shared is encrypted on this device: whatever carries it can’t read it.',
  begin: 'Share with your other devices…',
} as const;

/** The words of setting it up. */
export const setUpText = {
  heading: 'Share with your other devices',
  how: 'Is this the first device?',
  ways: {
    begin: ['Yes, begin here', 'You get 24 recovery words. Other devices join with them.'],
    join: ['No, join with recovery words', 'Another device shares already, and you have its sheet or its words.'],
  },
  carrier: 'What carries the record',
  carrierHelp: 'The same on all of your devices. It sees only encrypted entries.',
  relays: {
    folder: ['A folder', 'One that another program keeps in step, such as a cloud drive or a network share.'],
    hub: ['The hub I’m paired with', 'In the hub of another device of yours.'],
    'this-hub': ['The hub on this device', 'Paired devices reach it while this one is awake.'],
    postgres: ['PostgreSQL', 'A database, version 13 or later, that all of your devices reach.'],
  } satisfies Record<RelayChoice['kind'], readonly [string, string]>,
  notPaired: 'Pair this device with a hub first.',
  hubIsOff: 'Make this device the hub first, in the settings.',
  fields: {
    folder: ['Folder', 'The whole path, as it is on this device. Use it for nothing else.'],
    host: ['Host', 'Its name or address.'],
    port: ['Port', 'Usually 5432.'],
    database: ['Database', 'It must exist.'],
    user: ['User', 'With the rights of the installed role, no more.'],
    password: ['Password', 'Kept with the other secrets and never shown.'],
    authorityPem: ['Certificate authority', 'In PEM, if it is one of your own. Empty: those of the system.'],
    words: ['Recovery words', 'All 24, in their order. Small or capital letters and numbers before them don’t matter.'],
  },
  tls: 'Encryption',
  tlsVerify: 'Encrypted, certificate checked',
  tlsOff: 'Not encrypted: only for a server on this machine',
  missing: 'This is needed.',
  notPort: 'A port is a number between 1 and 65535.',
  chooseWay: 'Say whether this is the first device',
  chooseRelay: 'Choose what carries the record',
  begin: 'Begin',
  join: 'Join',
  beginning: 'Making the keys…',
  joining: 'Looking for what the others share…',
  dont: 'Don’t share',
} as const;

/** The words around the recovery words. */
export const wordsText = {
  heading: 'Recovery words',
  list: 'The 24 recovery words',
  loading: 'Fetching the words…',
  lead: 'Other devices join with these words. If all of your devices are lost, they open the record again. Nobody else has them, and nobody can make you new ones.',
  keep: 'Whoever holds them can read what your agents did. Keep them on paper, where you keep your passport.',
  compare: (name: string) => `They belong to the common name ${name}.`,
  print: 'Print the sheet',
  later: 'Later',
  written: 'I have written them down',
  forgetHeading: 'Let this device forget the words?',
  forgetLead: 'From then on only your sheet has them: nobody who gets at this device finds them here.',
  forgetMore: 'Devices that take part already go on without them. To join another device you need the sheet.',
  forget: 'Forget them here',
  keepHere: 'Keep them for now',
} as const;

/** What stands on the printed sheet. */
export const sheetText = {
  title: 'Fencepost recovery sheet',
  belongs: (spaceName: string) => `For the devices that show ${spaceName} as their common name.`,
  facts: [
    'With these words a new device joins the others. If all devices are lost, they open the record again.',
    'Whoever holds this sheet can read what your agents did. Keep it with your passport; don’t photograph or mail it.',
    'To use it, open Fencepost on the new device, choose “Devices and sync”, then “Share with your other devices”, and say that you join with recovery words. Type them in the order of their numbers.',
  ],
  copy: 'Where the other copy of this sheet is: ______________________________',
} as const;

/** The words of letting go and of stopping. */
export const leaveText = {
  letGoHeading: (name: string) => `Let ${name} go?`,
  letGoFacts: [
    'Nothing that it writes from now on is taken in by your other devices.',
    'It gets no new keys: what you do from now on it can’t read. What it has already stays readable there.',
    'Nothing is kept for it any more. To take part again it needs a new profile and the recovery words.',
  ],
  letGoPaired: 'This does not take its right to act. For that, remove it from the paired devices as well.',
  letGo: 'Let it go',
  keep: 'Keep it',
  anewHeading: 'Give this device a new identity?',
  anewFacts: [
    'From its next start on it counts as another device. It goes on sharing, with the same recovery words.',
    'What it wrote so far stays, as that of the device it was.',
    'This is right after a backup was restored, or where the profile was copied on purpose.',
  ],
  anewNote: 'If a copy of this profile runs elsewhere by mistake, close that one instead.',
  anew: 'Give it a new identity',
  stayAsIs: 'Leave it as it is',
  stopHeading: 'Stop sharing on this device?',
  stopFacts: [
    'Nothing of this device is handed over any more, and nothing of the others comes in.',
    'What was taken in stays here. What the others have of this device stays with them.',
    'To share again you need the recovery words.',
  ],
  stopWords: 'The recovery words are forgotten here too. Make sure that you have them on paper.',
  stop: 'Stop sharing',
  goOn: 'Go on sharing',
} as const;

/** The words about what happened twice. */
export const twiceText = {
  title: 'It happened twice',
  lead: 'Two devices carried out the same step. Look in the target whether one of them has to be undone there.',
  attempt: (device: string, number: number) => `${device}, attempt ${number}`,
  counts: 'This one counts',
  extra: 'Extra',
  epoch: (epoch: number) => `Right to act, grant ${figure(epoch)}`,
  why: 'The run goes on from the one that counts: it came first in the order that all devices agree on.',
  none: 'None of them counts yet: the step is still unclear.',
  open: 'Open the run',
  openNamed: (title: string) => `Open the run ${title}`,
} as const;
