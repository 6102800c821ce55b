/** One planted bug, and what it is tried with. */
export interface Trial {
  readonly plant: string;
  /** Other guards that are taken away as well, so that they do not cover for the one that is tried. */
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

const CRASHES = ['--faults', 'false-suspend,crash'];
const SLOW_NETWORK = ['--faults', 'message-late,pause', '--devices', '3'];
const EARLY_EXPIRY = ['--faults', 'pause,register-crash', '--devices', '3', '--longest-pause-ms', '2900'];

/**
 * The guards that one host can be without. The others of the model (an in-flight marker without a lease, settlement
 * without its owner, a second release of successors, an unknown visit, release with pending claims, renewal after expiry)
 * are covered twice in a host whose turns are whole, and are killed in `test/model`, where every layer stands alone.
 */
export const TRIALS: readonly Trial[] = [
  { plant: 'no-fence', off: [], options: [] },
  { plant: 'no-tail', off: [], options: [] },
  { plant: 'high-water-ignored', off: [], options: ['--faults', 'register-restored,crash', '--devices', '1'] },
  { plant: 'last-look-left-out', off: [], options: ['--faults', 'pause', '--ttl-ms', '15000'] },
  { plant: 'no-hold-off', off: ['no-deadline'], invariants: ['I3'], options: EARLY_EXPIRY },
  { plant: 'no-deadline', off: ['no-fence', 'no-hold-off'], invariants: ['I3'], options: SLOW_NETWORK },
  { plant: 'deadline-from-the-reply', off: ['no-fence', 'no-hold-off'], invariants: ['I3'], options: SLOW_NETWORK },
  {
    plant: 'no-oracle',
    off: ['no-tail'],
    invariants: ['I6'],
    options: ['--oracle-travels'],
    reached: 'blocked by the oracle alone',
  },
  { plant: 'epoch-reset-on-release', off: ['epochs-may-fall'], options: [] },
  // Judged at the end, which a device that loses its right to act again and again takes long to come to.
  { plant: 'renewal-not-kept', off: [], invariants: ['I10'], options: ['--faults', 'reply-lost', '--ttl-ms', '15000'] },
  { plant: 'repeat-drops-the-doubt', off: [], options: CRASHES, from: 30 },
  { plant: 'refusal-of-a-repeat-is-an-answer', off: [], options: CRASHES },
  { plant: 'window-begins-here', off: [], options: CRASHES },
  { plant: 'repeat-judged-once', off: [], options: [...CRASHES, '--devices', '1'], from: 330 },
  // Only another device's claim, told by its journal, still stands when this one acts: its own have run out by then.
  { plant: 'reclaimed-run-sleeps', off: [], options: ['--journals-travel'], from: 10 },
  { plant: 'asked-again-under-a-new-number', off: [], options: [] },
  { plant: 'stop-here-permits', off: [], options: ['--journals-travel'], from: 61 },
  // Nothing is behind where no relay holds what the register forgets.
  { plant: 'behind-ignored', off: [], options: ['--relay', '--faults', 'cut,crash,pause'], from: 33 },
  { plant: 'half-told-release', off: [], options: ['--journals-travel'], from: 80 },
];
