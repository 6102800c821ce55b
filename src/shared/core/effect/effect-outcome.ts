/** Why an attempt failed. `in-doubt` never means failed: nobody knows. */
export type FailureClass = 'transient' | 'permanent' | 'authority' | 'runtime' | 'sandbox' | 'in-doubt';

/** How far an attempt got, written by the executor at its own safe boundary. */
export type EffectProgress = 'never-started' | 'in-flight' | 'settled';

/** What a tool can say about an attempt that it carried out. */
export type EffectOutcome =
  | { readonly kind: 'success' }
  /** An answer that says it was not done, or was done and went wrong; `wasSent` tells a person which. */
  | { readonly kind: 'failure'; readonly class: FailureClass; readonly code: string; readonly wasSent: boolean }
  /** A timeout, a cut connection, a killed process: no answer that can be relied on. */
  | { readonly kind: 'unclear'; readonly code: string };

/** The code of an effect whose lease ran out while it was in flight (reference: durable dispatch decisions, 1.5). */
export const EFFECT_OUTCOME_UNKNOWN = 'effect_outcome_unknown';

/** Which edge of the strategy an outcome takes. */
export function outcomeEdge(outcome: EffectOutcome): 'success' | 'failure' | 'unclear' {
  return outcome.kind;
}
