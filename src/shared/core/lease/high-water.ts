/** The highest grant a device ever saw for an agent; kept for ever, also learned from other devices (rule 7). */
export interface HighWaterMark {
  readonly coordinatorId: string;
  readonly incarnation: string;
  readonly epoch: number;
}

/** Whether a register's answer fits what this device has already seen. */
export type HighWaterVerdict =
  | { readonly kind: 'fits'; readonly mark: HighWaterMark }
  | { readonly kind: 'other-coordinator'; readonly expected: HighWaterMark }
  | { readonly kind: 'went-back'; readonly expected: HighWaterMark; readonly answered: number };

/**
 * A register that answers a lower epoch, or a new life of itself, has gone back: nothing is dispatched until a person has
 * looked (rule 7). One with another id is not this agent's register at all (rule 11).
 */
export function checkHighWater(seen: HighWaterMark | null, answer: HighWaterMark): HighWaterVerdict {
  if (seen === null) return { kind: 'fits', mark: answer };
  if (seen.coordinatorId !== answer.coordinatorId) return { kind: 'other-coordinator', expected: seen };
  if (seen.incarnation !== answer.incarnation || answer.epoch < seen.epoch) {
    return { kind: 'went-back', expected: seen, answered: answer.epoch };
  }
  return { kind: 'fits', mark: answer };
}
