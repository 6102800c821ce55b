import { isPartKey, isUndoKey } from '../../shared/core/run/effect-key.ts';
import type { StepAttempt } from '../../shared/core/successor/held-back.ts';
import { decisionOf, outcomeOf } from './rows.ts';
import type { AttemptRecord } from './rows.ts';

/** An attempt as the core looks at it. */
export function knownOf(attempt: AttemptRecord): StepAttempt {
  return {
    progress: attempt.progress,
    choice: decisionOf(attempt)?.choice ?? null,
    outcome: outcomeOf(attempt),
    isAnswered: attempt.progress === 'settled' && attempt.output_digest !== null,
    isPart: isPartKey(attempt.effect_key),
    isUndo: isUndoKey(attempt.effect_key),
  };
}
