import type { Retention } from '../../../shared/contract/record-views.ts';

/** The words about the record: where it is, how large, how long it is kept, and whether it is whole. */
export const recordText = {
  title: 'The record',
  lede: 'Everything stays in this folder on this device. Nothing is sent anywhere unless an agent’s step sends it.',
  folder: 'Folder',
  size: 'Size',
  sizeWithLog: (file: string, log: string) => `${file}, and ${log} that are still to be brought into the file`,
  entries: 'Entries',
  entriesHelp: (condensed: string) =>
    `No entry is ever changed. The single steps of ${condensed} that ended long ago were condensed; what they came to stays.`,
  runs: (count: number) => (count === 1 ? '1 run' : `${count.toLocaleString('en')} runs`),
  backups: 'Copies',
  noBackups: 'None yet. One is made before a newer version changes the form of the record.',
  backupsAre: (count: number, size: string) => `${count === 1 ? 'One copy' : `${count} copies`}, ${size}`,
  newest: 'the newest of',
  problem: 'The record can’t be looked at.',
  retention: 'Single steps of ended runs',
  retentionHelp:
    'After this time they are condensed, once every device has them. What each run came to, and what was ever sent, stays for ever. Each device keeps its own time.',
  terms: {
    '30-days': 'Keep for 30 days',
    '90-days': 'Keep for 90 days',
    '365-days': 'Keep for a year',
    'for-ever': 'Keep for ever',
  } satisfies Record<Retention, string>,
  shorterTitle: 'Keep single steps for a shorter time?',
  shorter: 'Steps of runs that ended before that are condensed within the hour. They do not come back.',
  shorterStays: 'What each run came to, and what was ever sent, stays.',
  leave: 'Leave it',
  check: 'Whole?',
  checkGo: 'Check the record',
  checkAgain: 'Check it again',
  checkHelp: 'Reads every entry and every text, and compares them with what they were when they were written.',
  checking: (read: string, total: string) => `${read} of ${total}`,
  progress: 'How far the check is',
  looked: 'Checked',
  more: (count: number) => `and ${count.toLocaleString('en')} more`,
} as const;
