/** One planted bug, and what it is tried with. Where nothing is off, every other layer is on. */
export interface Trial {
  readonly plant: string;
  /** Other layers that are taken away as well, so that they do not cover for the one that is tried. */
  readonly off: readonly string[];
  /** What the layers that are left have to hold by themselves; everything where none is named. */
  readonly invariants?: readonly string[];
  /** Narrows the seeds down to the kind of trouble that brings it out (see `run-seeds.ts`). */
  readonly options: readonly string[];
  /** Where the search begins, for a bug that takes many seeds; the first seed where it is left out. */
  readonly from?: number;
  /** What the layers that are left have to have been in, where nothing else is on that could cover for them. */
  readonly reached?: string;
}

/** The two ways to try a bug: every other layer on, and those off that would cover for it. */
export type Setting = 'whole' | 'bare';

/** A bug that is not seen in one setting, since a layer covers for it. */
export interface Excuse {
  readonly plant: string;
  readonly setting: Setting;
  /** The layer, and why it covers. */
  readonly layer: string;
  readonly because: string;
}

export const settingOf = ({ off }: Trial): Setting => (off.length === 0 ? 'whole' : 'bare');

const CRASHES = ['--faults', 'false-suspend,crash'];
const RESTORED = ['--faults', 'register-restored,crash', '--devices', '1'];
const PAUSES = ['--faults', 'pause', '--ttl-ms', '15000'];
const SLOW_NETWORK = ['--faults', 'message-late,pause', '--devices', '3'];
const LATE = ['--faults', 'message-late'];
const EARLY_EXPIRY = ['--faults', 'pause,register-crash', '--devices', '3', '--longest-pause-ms', '2900'];
const LONG_TERM = [...EARLY_EXPIRY, '--ttl-ms', '15000'];
const RELAY = ['--relay', '--faults', 'cut,crash,pause'];
const TRAVEL = ['--journals-travel'];

/** Every other layer on. */
const WHOLE: readonly Trial[] = [
  { plant: 'no-fence', off: [], options: [] },
  { plant: 'no-tail', off: [], options: [] },
  { plant: 'high-water-ignored', off: [], options: RESTORED },
  { plant: 'last-look-left-out', off: [], options: PAUSES },
  { plant: 'no-hold-off', off: [], invariants: ['I3'], options: LONG_TERM, from: 45 },
  { plant: 'renew-after-expiry', off: [], options: LATE, from: 28 },
  // A run that another device has ended is still being dispatched here when its journal comes.
  { plant: 'unknown-visit-passes', off: [], invariants: ['gate'], options: TRAVEL, from: 350 },
  // Judged at the end, which a device that loses its right to act again and again takes long to come to.
  { plant: 'renewal-not-kept', off: [], invariants: ['I10'], options: ['--faults', 'reply-lost', '--ttl-ms', '15000'] },
  { plant: 'repeat-drops-the-doubt', off: [], options: CRASHES, from: 40 },
  { plant: 'refusal-of-a-repeat-is-an-answer', off: [], options: CRASHES, from: 18 },
  { plant: 'window-begins-here', off: [], options: CRASHES, from: 6 },
  { plant: 'repeat-judged-once', off: [], options: [...CRASHES, '--devices', '1'], from: 330 },
  { plant: 'asked-again-under-a-new-number', off: [], options: [] },
  { plant: 'stop-here-permits', off: [], options: TRAVEL, from: 199 },
  // Nothing is behind where no relay holds what the register forgets.
  { plant: 'behind-ignored', off: [], options: RELAY, from: 35 },
  { plant: 'half-told-release', off: [], options: TRAVEL, from: 80 },
];

/** The masking layers off: those that an excuse below names, or that stand next to the guard. */
const BARE: readonly Trial[] = [
  {
    plant: 'no-oracle',
    off: ['no-tail'],
    invariants: ['I6'],
    options: ['--oracle-travels'],
    reached: 'blocked by the oracle alone',
  },
  { plant: 'no-fence', off: ['no-hold-off', 'no-deadline'], invariants: ['I8'], options: [] },
  { plant: 'no-tail', off: ['no-oracle'], options: [] },
  { plant: 'high-water-ignored', off: ['no-hold-off'], options: RESTORED },
  { plant: 'last-look-left-out', off: ['no-hold-off'], options: PAUSES },
  { plant: 'no-hold-off', off: ['no-deadline'], invariants: ['I3'], options: EARLY_EXPIRY },
  { plant: 'no-deadline', off: ['no-fence', 'no-hold-off'], invariants: ['I3'], options: SLOW_NETWORK },
  {
    plant: 'deadline-from-the-reply',
    off: ['no-fence', 'no-hold-off'],
    invariants: ['I3'],
    options: SLOW_NETWORK,
    from: 54,
  },
  { plant: 'epoch-reset-on-release', off: ['epochs-may-fall'], options: [] },
  { plant: 'device-deadline', off: ['late-claims'], invariants: ['I3'], options: LATE },
  { plant: 'renew-after-expiry', off: ['no-hold-off'], invariants: ['I3'], options: [...LATE, '--devices', '1'] },
  {
    plant: 'in-flight-without-lease-granted',
    off: ['lost-claims', 'no-sweep', 'no-resting', 'no-tail'],
    invariants: ['I1'],
    options: ['--faults', 'crash', '--devices', '1'],
  },
  {
    plant: 'unknown-visit-passes',
    off: ['no-stop-at-the-gate', 'no-stop-at-the-last-look'],
    invariants: ['gate'],
    options: TRAVEL,
    from: 114,
  },
  { plant: 'asked-again-under-a-new-number', off: ['no-oracle'], options: [] },
];

/** Rules behind which no layer stands: with every other layer on they are seen as bare as they ever are. */
export const UNMASKED: readonly string[] = [
  'renewal-not-kept',
  'repeat-drops-the-doubt',
  'refusal-of-a-repeat-is-an-answer',
  'window-begins-here',
  'repeat-judged-once',
  'stop-here-permits',
  'behind-ignored',
  'half-told-release',
];

export const TRIALS: readonly Trial[] = [...WHOLE, ...BARE];

/**
 * What no trial shows, with the reason. Each of these guards is killed in `test/model`, where every layer stands
 * alone, and most are seen in here as well once the layer that is named is off (see `BARE`).
 */
export const EXCUSES: readonly Excuse[] = [
  {
    plant: 'no-oracle',
    setting: 'whole',
    layer: 'the tail',
    because:
      'an entry stays in the tail until its journal is on the relay, and a holder that has not folded that far is behind: then the run itself has gone on',
  },
  {
    plant: 'no-deadline',
    setting: 'whole',
    layer: 'the fence',
    because: 'an older epoch announces nothing, and what it had announced leaves within the hold-off of the next',
  },
  {
    plant: 'deadline-from-the-reply',
    setting: 'whole',
    layer: 'the fence',
    because: 'it makes the deadline later by less than `no-deadline` does, which the fence and the hold-off cover for',
  },
  {
    plant: 'epoch-reset-on-release',
    setting: 'whole',
    layer: 'the triggers of the register',
    because: 'SQLite aborts the transaction that would lower an epoch, so nothing of it is kept',
  },
  {
    plant: 'device-deadline',
    setting: 'whole',
    layer: 'the claim',
    because:
      'it is granted in the turn of the last look, at the same moment, and not where its own deadline has passed',
  },
  {
    plant: 'release-with-pending-claims',
    setting: 'whole',
    layer: 'draining',
    because:
      'it waits for 5 s, longer than a claim takes to leave or to be withheld; one that is in the hold-off as it begins may take longer, and no trial has hit that',
  },
  {
    plant: 'release-with-pending-claims',
    setting: 'bare',
    layer: 'the first transaction',
    because:
      'it asks for the lease in the turn of the send, and a release that was answered is none; one whose answer is late could be overtaken by the next holder within 3 s, and no trial has hit that',
  },
  {
    plant: 'in-flight-without-lease-granted',
    setting: 'whole',
    layer: 'the first transaction',
    because: 'claim and in-flight marker are one commit: no crash leaves one without the other',
  },
  {
    plant: 'settlement-by-anybody',
    setting: 'whole',
    layer: 'attempt tokens',
    because: 'each attempt has one of its own, which only the process that made it reports about',
  },
  {
    plant: 'settlement-by-anybody',
    setting: 'bare',
    layer: 'attempt tokens',
    because: 'a host has no way to report about an attempt that it did not make, whatever else is off',
  },
  {
    plant: 'double-successor-release',
    setting: 'whole',
    layer: 'superseded at the release',
    because: 'a step counts as released only where its run is elsewhere, and there it is superseded',
  },
  {
    plant: 'double-successor-release',
    setting: 'bare',
    layer: 'one loop for each run',
    because:
      'it goes on only after the settlement was written, once: a second release leads where the first has led, and nothing there has left yet',
  },
  {
    plant: 'reclaimed-run-sleeps',
    setting: 'whole',
    layer: 'the next look',
    because:
      'a pass recovers before it drives, and a new grant or a journal that comes looks at every run again: in 359 seeds with journals none slept through all of it',
  },
  {
    plant: 'reclaimed-run-sleeps',
    setting: 'bare',
    layer: 'the next look',
    because: 'nothing that is off in a trial takes the looks of the loop away',
  },
];
