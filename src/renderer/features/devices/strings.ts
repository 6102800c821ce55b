/** The words of the devices screen. */
export const text = {
  title: 'Devices and sync',
  count: (count: number) => (count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`),
  problem: 'The devices can’t be read.',
  device: 'Device',
  now: 'Now',
  rights: 'Right to act for',
  paired: 'Paired',
  acts: 'Change',
  thisDevice: 'This device',
  hub: 'Hub',
  online: 'Online',
  offline: 'Not connected',
  here: 'In front of you',
  connected: 'Connected to the hub',
  seen: 'Last seen',
  noAnswer: 'The hub doesn’t answer',
  neverSeen: 'Not seen yet',
  agents: (count: number) => (count === 0 ? 'None' : count === 1 ? '1 agent' : `${count.toLocaleString('en')} agents`),
  version: (version: string) => (version === '' ? 'Version not known' : `Version ${version}`),
  rename: 'Rename…',
  renameNamed: (name: string) => `Rename ${name}`,
  remove: 'Remove…',
  removeNamed: (name: string) => `Remove ${name}`,
  pair: 'Pair a device…',
  join: 'Join with a link…',
  pairAtHub: (hub: string) => `To pair another device, open Fencepost on ${hub}.`,
  again: 'Try again',
  close: 'Close',
} as const;

/** What teaches where there is only this device. */
export const aloneText = {
  title: 'Only this device acts',
  more: 'Pair your other devices, and exactly one of them acts for each agent. When it goes to sleep or breaks, another one goes on without doing anything twice.',
  begin: 'Begin on the device that is awake most. On the others, join with the link that it makes.',
  makeHub: 'Pair another device…',
  orServer: 'Use PostgreSQL or etcd…',
  serverTitle: 'A server keeps the right to act',
  server:
    'Every device that uses the same server shares the right to act. The server knows no devices by name, so there is nothing to pair here.',
  settings: 'Open the settings',
} as const;

/** What is still to be done after pairing, so that devices really share the right to act. */
export const nextText = {
  hubTitle: 'The hub is on, but the right to act is not kept in it yet.',
  hubMore: 'Until it is, other devices can be paired but cannot act.',
  hubGo: 'Keep it in the hub…',
  joinedTitle: (hub: string) => `Paired with ${hub}, but this device still keeps its own right to act.`,
  joinedMore: 'Until both use the same place, they do not know of each other’s work.',
  joinedGo: 'Use this hub for the right to act…',
} as const;

/** The words of pairing, on both sides. */
export const pairText = {
  heading: 'Pair a device',
  joinHeading: 'Join with a link',
  making: 'Making a link…',
  scan: 'Open Fencepost on the other device, choose “Devices and sync”, then “Join with a link”. Scan this, or copy the link to it.',
  qr: 'The link as a QR code',
  copyLink: 'Copy the link',
  left: (left: string) => `It works once, for ${left} more.`,
  sharedTitle: 'What is shared',
  shared:
    'The hub learns the other device’s name and version, which agents it may act for, and which steps are on their way.',
  notShared:
    'Agents, runs, what was sent, permissions and secrets are not shared. Add an agent’s file on each device that is to act for it.',
  asks: (name: string) => `${name} wants to be paired.`,
  question: 'Are these the words on the other screen?',
  words: 'The six words',
  same: (name: string) => `They are the same: allow ${name}`,
  differ: 'They differ: don’t allow',
  differWhy: 'If only one word differs, somebody stands between the two devices.',
  allowed: (name: string) => `${name} is paired.`,
  allowedMore:
    'What is left to do, so that both share the right to act, is said on each device under “Devices and sync”.',
  refusedTitle: 'Not paired.',
  expiredTitle: 'The link has run out. Nothing was shared.',
  newLink: 'Make a new link',
  cancelLink: 'Cancel the link',
  closeKeeps: 'Closing this leaves the link open until it runs out.',
  openNote: 'A link to pair a device is open.',
  showLink: 'Show it',
  asksNote: (name: string) => `${name} waits to be paired.`,
  compare: 'Compare the words',
  pasteLabel: 'Link from the hub',
  pasteHelp: 'On the hub: “Devices and sync”, then “Pair a device”. The link works once, for two minutes.',
  connect: 'Connect',
  cancel: 'Cancel',
  connecting: (hub: string) => (hub === '' ? 'Connecting…' : `Connecting to ${hub}…`),
  compareHere: (hub: string) => `Are these the words on ${hub}?`,
  answerThere: (hub: string) => `Answer on ${hub}: this device waits for it.`,
  stop: 'They differ: stop pairing',
  pairedWith: (hub: string) => `This device is paired with ${hub}.`,
  pairedMore: 'It still keeps its own right to act. Move that to the hub, so that both share it.',
  later: 'Later',
  failedTitle: 'Unable to pair.',
  otherLink: 'Use another link',
  joiningNote: (hub: string) => `This device waits to be allowed by ${hub}.`,
  showWords: 'Show the words',
} as const;

/** The words of renaming and removing. */
export const changeText = {
  renameHeading: (name: string) => `Rename ${name}`,
  name: 'Name',
  nameHelp: 'How every device and the record call it. Up to 60 characters.',
  nameEmpty: 'It needs a name.',
  save: 'Save the name',
  cancel: 'Cancel',
  removeHeading: (name: string) => `Remove ${name}?`,
  atOnce: 'It holds at once: from then on it can’t ask for the right to act. To take it back you pair it again.',
  unclear: (count: number) =>
    count === 1 ? '1 unclear step began there.' : `${count.toLocaleString('en')} unclear steps began there.`,
  unclearMore: 'It may hold an answer that has not arrived yet. Decide about these first.',
  review: 'Review them first',
  remove: 'Remove it now',
  keep: 'Keep it',
} as const;
