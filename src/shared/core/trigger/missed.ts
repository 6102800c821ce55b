/** Why an occurrence did not start a run when it was due. */
export type MissedReason =
  /** No device was awake, or this one was held up, until it was too late. */
  | 'device-off'
  /** One run makes up for several slots, and it is not this one's. */
  | 'covered'
  /** More were missed than are caught up with. */
  | 'too-many'
  | 'no-permission'
  | 'paused'
  /** The revision cannot be read, or its schedule makes no sense. */
  | 'strategy-broken'
  /** The occurrence has a run already, from before the clock was set back. */
  | 'already-ran'
  /** The calendar was ahead and came back. */
  | 'clock-went-back'
  /** A folder cannot be watched. */
  | 'watch-failed'
  /** The run could not be started: its input is not right. */
  | 'refused';

/** What becomes of a missed slot. */
export type MissedState = 'waiting' | 'open' | 'noted' | 'ran' | 'skipped';

/** `open` waits for a person to run or skip it, `waiting` for its turn to be caught up with, `noted` for nothing. */
export function missedState(reason: MissedReason, isWaiting: boolean): MissedState {
  if (isWaiting) return 'waiting';
  return reason === 'covered' || reason === 'already-ran' || reason === 'clock-went-back' ? 'noted' : 'open';
}

/** Whether a missed occurrence can be run later: it has to be one that names what it was about. */
export function canRunLater(kind: string, reason: MissedReason): boolean {
  if (kind === 'webhook' || reason === 'watch-failed') return false;
  return reason !== 'already-ran' && reason !== 'clock-went-back';
}
