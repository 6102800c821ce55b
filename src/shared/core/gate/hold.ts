/** Who holds a run back, the widest first. */
export type HeldBy = 'everything' | 'agent' | 'run';

/** What a person paused. */
export interface Holds {
  readonly isEverythingHeld: boolean;
  readonly isAgentHeld: boolean;
  readonly isRunHeld: boolean;
}

/** The barrier in front of a run's next step; `null` is none. Each hold is taken down by itself. */
export function heldBy(holds: Holds): HeldBy | null {
  if (holds.isEverythingHeld) return 'everything';
  if (holds.isAgentHeld) return 'agent';
  return holds.isRunHeld ? 'run' : null;
}

/** How far a pause has got. It is one only when nothing is on its way any more. */
export type PauseState = 'none' | 'pause-requested' | 'paused';

export function pauseState(isHeld: boolean, inFlight: number): PauseState {
  if (!isHeld) return 'none';
  return inFlight > 0 ? 'pause-requested' : 'paused';
}
