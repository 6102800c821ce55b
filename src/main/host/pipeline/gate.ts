import type { DispatchResult } from '../../store/transactions/dispatch-effect.ts';

/**
 * The gate is decided by `evaluateDispatch` inside the first transaction. What is left here is what its answer means for
 * the run: whether anything could change it, and what.
 */
export type GateConsequence = 'end-stopped' | 'wait-for-change';

/** A stop ends the run; every other refusal waits until a person changes something. Nothing was sent. */
export function afterGateRefusal(refused: Extract<DispatchResult, { kind: 'refused-by-gate' }>): GateConsequence {
  return refused.reason === 'stop-requested' ? 'end-stopped' : 'wait-for-change';
}
