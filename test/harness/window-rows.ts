import type { RunRow } from '../../src/shared/contract/views.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Seed = readonly [
  status: RunRow['status'],
  title: string,
  agentName: string,
  deviceName: string,
  agoMs: number,
  tookMs: number | null,
  steps: readonly [number, number],
  lastEvent: string,
];

const seeds: readonly Seed[] = [
  [
    'needs-recovery',
    'Email “Weekly numbers” to 3 people',
    'Morning report',
    'This Mac',
    42 * MINUTE,
    null,
    [4, 6],
    'No answer was recorded',
  ],
  [
    'needs-recovery',
    'Pay €1,240.00 to Nordwind Supplies',
    'Bill payer',
    'Work-PC',
    90 * MINUTE,
    null,
    [2, 3],
    'The connection closed',
  ],
  [
    'needs-approval',
    'Push 3 commits to main of acme/site',
    'Site keeper',
    'This Mac',
    4 * MINUTE,
    null,
    [5, 7],
    'Asked you 4 min ago',
  ],
  [
    'needs-approval',
    'Send a reply to li@example.com',
    'Inbox helper',
    'Work-PC',
    11 * MINUTE,
    null,
    [2, 3],
    'Asked you 11 min ago',
  ],
  [
    'needs-approval',
    'Delete 14 files in Invoices/2019',
    'Archivist',
    'Attic',
    26 * MINUTE,
    null,
    [8, 9],
    'Asked you 26 min ago',
  ],
  [
    'running-here',
    'Summarise the overnight support mail',
    'Support digest',
    'This Mac',
    48_000,
    null,
    [1, 4],
    'Reading 37 messages',
  ],
  [
    'waiting',
    'Post the build note in #site',
    'Site keeper',
    'This Mac',
    2 * MINUTE,
    null,
    [0, 1],
    'Waits for run 0207',
  ],
  [
    'running-elsewhere',
    'Check 18 suppliers for new prices',
    'Price watch',
    'Work-PC',
    7 * MINUTE,
    null,
    [11, 18],
    'Read a price list',
  ],
  [
    'running-here',
    'Sort 212 photos from October',
    'Photo shelf',
    'This Mac',
    13 * MINUTE,
    null,
    [141, 212],
    'Moved IMG_4418',
  ],
  [
    'refused',
    'Send payment reminder 3 again',
    'Invoice chaser',
    'This Mac',
    30 * MINUTE,
    100,
    [0, 1],
    'Work-PC had sent it',
  ],
  [
    'running-elsewhere',
    'Send 5 payment reminders',
    'Invoice chaser',
    'Work-PC',
    72 * MINUTE,
    null,
    [5, 8],
    'Waiting for replies',
  ],
  ['done', 'Renew acme.example for 1 year', 'Domain keeper', 'Attic', 102 * MINUTE, 9_000, [3, 3], 'Filed the receipt'],
  [
    'done',
    'File 9 receipts in October',
    'Bill payer',
    'Work-PC',
    117 * MINUTE,
    31_000,
    [9, 9],
    'Wrote receipt-0917.pdf',
  ],
  [
    'failed-nothing-sent',
    'Read the bank statement',
    'Bill payer',
    'Work-PC',
    122 * MINUTE,
    12_000,
    [1, 4],
    'Bank was not reachable',
  ],
  [
    'failed-was-sent',
    'Post the weekly offer to the shop',
    'Shop window',
    'Attic',
    162 * MINUTE,
    4_000,
    [2, 3],
    'Answer: price missing',
  ],
  ['missed', 'Back up the photo library', 'Photo shelf', '', 282 * MINUTE, null, [0, 0], 'Was due, no device awake'],
  [
    'running-elsewhere',
    'Copy Projects to the cold store',
    'Night backup',
    'Attic',
    342 * MINUTE,
    null,
    [2_118, 2_304],
    'Wrote 12 files',
  ],
  [
    'stopped',
    'Tag 1,100 old notes',
    'Note gardener',
    'Work-PC',
    10.5 * HOUR,
    6 * MINUTE,
    [204, 1_100],
    'You stopped it',
  ],
  [
    'done',
    'Email “Sunday plan” to 2 people',
    'Morning report',
    'Travel-Laptop',
    13.7 * HOUR,
    6_000,
    [6, 6],
    'Accepted by the server',
  ],
  ['done', 'Water the greenhouse for 4 min', 'Garden', 'Attic', 14.2 * HOUR, 4 * MINUTE, [2, 2], 'Valve closed'],
  ['done', 'Rename a file called invoice\u202Efdp.exe', 'Archivist', 'Attic', 15 * HOUR, 1_200, [1, 1], 'Moved 1 file'],
];

/** The identity that an agent's name stands for. */
export function agentIdOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** Runs in all eleven states, and as many finished ones behind them as asked for. */
export function runRows(nowMs: number, total: number): RunRow[] {
  return Array.from({ length: total }, (_, index) => {
    const seed = seeds[index] ?? seeds[index % 2 === 0 ? 11 : 12];
    if (seed === undefined) throw new Error('There are rows for every state.');
    const [status, title, agentName, deviceName, agoMs, tookMs, steps, lastEvent] = seed;
    const startedAtMs = nowMs - agoMs - Math.max(0, index - seeds.length) * 7 * MINUTE;
    return {
      runId: `run-${total - index}`,
      number: total - index,
      status,
      title,
      agentId: agentIdOf(agentName),
      agentName,
      deviceName,
      startedAtMs,
      endedAtMs: tookMs === null ? null : startedAtMs + tookMs,
      stepsDone: steps[0],
      stepsTotal: steps[1],
      lastEvent,
    };
  });
}
