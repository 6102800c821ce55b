import type { EffectOutcome, EffectProgress } from '../effect/effect-outcome.ts';
import type { StepResult } from '../run/next-state.ts';

/** What is known of one attempt at a step, its undo or one of its parts. */
export interface StepAttempt {
  readonly progress: EffectProgress;
  /** What was decided about it and not taken back; `null` if nothing was. */
  readonly choice: string | null;
  readonly outcome: EffectOutcome | null;
  /** Whether it is settled by an answer; one that was held back before it was sent has none. */
  readonly isAnswered: boolean;
  readonly isPart: boolean;
  readonly isUndo: boolean;
}

/** Whether something that was sent has neither an answer nor a decision. */
function isOpen({ progress, choice }: StepAttempt): boolean {
  return progress === 'in-flight' && choice === null;
}

/** Whether an attempt left, or somebody decided about it; one that was held back, or has only been claimed, did not. */
export function hasLeft({ progress, choice, isAnswered }: StepAttempt): boolean {
  return choice !== null || isAnswered || progress === 'in-flight';
}

/**
 * How a step went that nothing was released for yet, from all attempts at it, the newest first; `null`: it is still to be
 * done, or something that was sent has no answer. *Stop here* counts although another device, which did not know of it, began
 * an attempt that never left.
 */
export function heldBackResult(attempts: readonly StepAttempt[]): StepResult | null {
  if (attempts.some(isOpen)) return null;
  const said = attempts.find(({ choice, isAnswered }) => choice === 'stop-here' || isAnswered);
  if (said?.choice === 'stop-here') return { kind: 'unclear' };
  const [newest] = attempts;
  // A part that was settled owes nothing: its step goes on by itself.
  if (newest === undefined || newest.isPart || !newest.isAnswered) return null;
  const { outcome } = newest;
  if (outcome === null || outcome.kind === 'unclear') return null;
  // After an undo that worked, the step is to be done again.
  if (outcome.kind === 'success' && newest.isUndo) return null;
  return outcome;
}
