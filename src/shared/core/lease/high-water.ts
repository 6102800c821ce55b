/** The highest grant a device ever saw for an agent; kept for ever, also learned from other devices (rule 7). */
export interface HighWaterMark {
  readonly coordinatorId: string;
  readonly incarnation: string;
  readonly epoch: number;
}

/** A grant to be judged. */
export interface HighWaterAnswer extends HighWaterMark {
  /** Not the repetition of an earlier answer: its epoch must be one that nobody saw before. */
  readonly isNewGrant: boolean;
}

/** Whether a register's answer fits what this device has already seen. */
export type HighWaterVerdict =
  | { readonly kind: 'fits'; readonly mark: HighWaterMark }
  | { readonly kind: 'other-coordinator'; readonly expected: HighWaterMark }
  | { readonly kind: 'went-back'; readonly expected: HighWaterMark; readonly answered: number };

/**
 * A register that answers a lower epoch, grants one anew that was seen before, or is in a new life of itself, has gone back: nothing is dispatched until a person has
 * looked (rule 7). One with another id is not this agent's register at all (rule 11).
 */
export function checkHighWater(seen: HighWaterMark | null, answer: HighWaterAnswer): HighWaterVerdict {
  const { isNewGrant, ...mark } = answer;
  if (seen === null) return { kind: 'fits', mark };
  if (seen.coordinatorId !== answer.coordinatorId) return { kind: 'other-coordinator', expected: seen };
  const isUsed = isNewGrant && answer.epoch === seen.epoch;
  if (seen.incarnation !== answer.incarnation || answer.epoch < seen.epoch || isUsed) {
    return { kind: 'went-back', expected: seen, answered: answer.epoch };
  }
  return { kind: 'fits', mark };
}

/**
 * The same of a grant that was asked for: `before` is what had been seen when the question went out. What others were granted
 * while the answer was on its way, told by their journals, is above a grant that was right when it was given. It is not this
 * device's any more, and the register did not go back.
 */
export function checkGrant(
  seen: { readonly before: HighWaterMark | null; readonly now: HighWaterMark | null },
  answer: HighWaterAnswer,
): HighWaterVerdict | { readonly kind: 'overtaken' } {
  const verdict = checkHighWater(seen.now, answer);
  const isBelow = verdict.kind === 'went-back' && answer.epoch < verdict.expected.epoch;
  return isBelow && checkHighWater(seen.before, answer).kind === 'fits' ? { kind: 'overtaken' } : verdict;
}
