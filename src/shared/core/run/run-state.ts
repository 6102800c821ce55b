import type { RunId, StateId } from '../../contract/identifiers.ts';

/** How a run ended. Nothing else ends a run. */
export type RunEnding = 'done' | 'failed-nothing-sent' | 'failed-was-sent' | 'stopped';

/** What a run is doing at its current step. */
export type RunPhase =
  /** The step may be started by the lease holder. */
  | 'ready'
  /** An attempt is claimed or in flight. */
  | 'acting'
  | 'waiting'
  /** Its branches go on; it follows once all of them have ended. */
  | 'branching'
  | 'needs-approval'
  | 'needs-recovery'
  | 'ended';

/** The persisted state of a run, as far as decisions need it. */
export interface RunState {
  readonly runId: RunId;
  readonly phase: RunPhase;
  readonly stateId: StateId;
  readonly stateVisit: number;
  readonly stopRequested: boolean;
  readonly barrierActive: boolean;
  readonly ending: RunEnding | null;
  /** Wall ms; only while waiting. */
  readonly waitUntilMs: number | null;
  /** Whether any effect of this run left the device. */
  readonly hasSent: boolean;
}

/** The states a person sees: one word, one shape, one colour (ux section 2). */
export type RunStatus =
  | 'waiting'
  | 'running-here'
  | 'running-elsewhere'
  | 'needs-approval'
  | 'needs-recovery'
  | 'refused'
  | 'done'
  | 'failed-nothing-sent'
  | 'failed-was-sent'
  | 'stopped'
  | 'missed';

/** The word for a run. `isHere`: this device holds the right to act; `isRefused`: its last attempt was refused. */
export function runStatus(
  run: Pick<RunState, 'phase' | 'ending' | 'barrierActive'>,
  view: { readonly isHere: boolean; readonly isElsewhere: boolean; readonly isRefused: boolean },
): RunStatus {
  if (run.ending !== null) return run.ending;
  if (run.phase === 'needs-recovery') return 'needs-recovery';
  if (run.phase === 'needs-approval') return 'needs-approval';
  if (view.isElsewhere) return 'running-elsewhere';
  // What is on its way under a pause is still on its way: the pause is only asked for.
  if (run.phase === 'waiting' || (run.barrierActive && run.phase !== 'acting')) return 'waiting';
  if (view.isRefused) return 'refused';
  return view.isHere || run.phase === 'acting' ? 'running-here' : 'waiting';
}
