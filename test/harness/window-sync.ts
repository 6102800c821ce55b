import type {
  ConflictView,
  RecoveryWordsView,
  SyncChip,
  SyncDeviceRow,
  SyncView,
} from '../../src/shared/contract/sync-views.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WRITTEN = 48_112;

/** Any 24 words; they open nothing. */
export const RECOVERY_WORDS =
  'abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic acquire across act action actor actress actual'.split(
    ' ',
  );

/** The recovery words with a sheet around them. */
export const WORDS_VIEW: RecoveryWordsView = {
  words: RECOVERY_WORDS,
  spaceName: '7C1F-A093',
  html: `<!doctype html><html lang="en"><head><title>Fencepost recovery sheet</title><style>h1 { color: black; }</style></head><body><h1>Fencepost recovery sheet</h1><p>${RECOVERY_WORDS.join(' ')}</p></body></html>`,
};

/** A device of the table. */
export function syncDevice(name: string, change: Partial<SyncDeviceRow> = {}): SyncDeviceRow {
  return {
    deviceId: `device-${name}`,
    name,
    isThisDevice: false,
    version: '0.1.0',
    lastSeenAtMs: null,
    knownSeq: 0,
    relaySeq: 0,
    lacksOfOurs: 0,
    oldestUnsentAtMs: null,
    clockOffsetMs: null,
    leases: [],
    letGoAtMs: null,
    isSilent: false,
    quarantine: null,
    ...change,
  };
}

function sixDevices(nowMs: number): SyncDeviceRow[] {
  return [
    syncDevice('This Mac', {
      isThisDevice: true,
      lastSeenAtMs: nowMs - 2 * SECOND,
      knownSeq: WRITTEN,
      relaySeq: WRITTEN - 3,
      oldestUnsentAtMs: nowMs - 14 * SECOND,
      leases: ['Morning report', 'Site keeper', 'Photo shelf', 'Support digest'],
    }),
    syncDevice('Attic', {
      lastSeenAtMs: nowMs - SECOND,
      knownSeq: 22_431,
      relaySeq: 22_431,
      clockOffsetMs: 20,
      leases: ['Archivist', 'Night backup'],
    }),
    syncDevice('Travel-Laptop', {
      version: '0.0.9',
      lastSeenAtMs: nowMs - 42 * MINUTE,
      knownSeq: 12_004,
      relaySeq: 12_004,
      lacksOfOurs: 38,
    }),
    syncDevice('Work-PC', {
      lastSeenAtMs: nowMs - 2 * SECOND,
      knownSeq: 39_800,
      relaySeq: 39_870,
      clockOffsetMs: 41 * SECOND,
      leases: ['Bill payer', 'Invoice chaser', 'Price watch'],
    }),
    syncDevice('Loft-Mini', {
      lastSeenAtMs: nowMs - 19 * DAY,
      knownSeq: 120,
      relaySeq: 120,
      lacksOfOurs: 9_412,
      isSilent: true,
    }),
    syncDevice('Old-Laptop', {
      version: '0.0.4',
      lastSeenAtMs: nowMs - 3 * HOUR,
      knownSeq: 3_004,
      relaySeq: 3_016,
      lacksOfOurs: 12,
      quarantine: {
        reason: 'chain',
        sentence:
          'Old-Laptop tells two stories: its entry 3,005 doesn’t follow from what it wrote before. It was probably restored from a backup.',
        wayOut: 'What came first counts, and nothing was deleted. Let Old-Laptop go and set Fencepost up anew there.',
        sinceMs: nowMs - 3 * HOUR,
      },
    }),
    syncDevice('Old-Phone', {
      knownSeq: 14,
      relaySeq: 14,
      letGoAtMs: nowMs - 3 * DAY,
    }),
  ];
}

/** Six devices: in step, asleep, silent, set aside, let go. */
export function syncView(nowMs: number, change: Partial<SyncView> = {}): SyncView {
  return {
    sequence: 1,
    state: 'trouble',
    sentence: 'What Old-Laptop wrote is put aside until you have looked. Nothing was deleted.',
    relay: { choice: { kind: 'hub' }, name: 'Attic' },
    spaceName: WORDS_VIEW.spaceName,
    hasWords: false,
    syncedAtMs: nowMs - 12 * SECOND,
    problem: null,
    catchUp: null,
    devices: sixDevices(nowMs),
    conflicts: [],
    ...change,
  };
}

/** Nothing is shared. */
export function syncOffView(): SyncView {
  return {
    sequence: 1,
    state: 'off',
    sentence: 'This Mac shares its record with no other device.',
    relay: null,
    spaceName: '',
    hasWords: false,
    syncedAtMs: null,
    problem: null,
    catchUp: null,
    devices: [],
    conflicts: [],
  };
}

/** A mail that two devices sent. */
export function conflictView(nowMs: number): ConflictView {
  return {
    runId: 'run-conflict',
    runTitle: 'Send 5 payment reminders',
    effectTitle: 'Email “Invoice 88” to Elm Street',
    target: 'billing@elm-street.example',
    attempts: [
      {
        deviceName: 'Travel-Laptop',
        epoch: 14,
        number: 1,
        startedAtMs: nowMs - 52 * MINUTE,
        sentence: 'The answer came later: it was sent. The mail server accepted it.',
        counts: true,
      },
      {
        deviceName: 'This Mac',
        epoch: 15,
        number: 2,
        startedAtMs: nowMs - 44 * MINUTE,
        sentence: 'It was sent. The mail server accepted it.',
        counts: false,
      },
    ],
  };
}

/** For the status bar: in step with two of three. */
export function syncChip(nowMs: number, change: Partial<SyncChip> = {}): SyncChip {
  return { state: 'ready', syncedAtMs: nowMs - 12 * SECOND, others: 3, othersInStep: 2, catchUp: null, ...change };
}
