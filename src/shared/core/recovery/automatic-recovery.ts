import { assertNever } from '../../lib/assert-never.ts';
import type { EffectKind } from '../effect/effect-kind.ts';

/** What may be done about an in-doubt claim without asking anybody. */
export type AutomaticRecovery =
  | { readonly kind: 'repeat' }
  | { readonly kind: 'probe' }
  | { readonly kind: 'ask'; readonly reason: 'kind' | 'window-over' | 'probe-silent' | 'repeats-used-up' };

/** The facts that allow or forbid an automatic step. */
export interface AutomaticRecoveryFacts {
  readonly effectKind: EffectKind;
  /** Until when the provider recognises the same key, wall ms; `null` if it never said. */
  readonly dedupeUntilMs: number | null;
  readonly nowMs: number;
  /** Whether a probe has already answered that it does not know. */
  readonly isProbeSilent: boolean;
  readonly attemptNumber: number;
}

/** The most attempts that are made without a person, so that a target that kills its caller is not called for ever. */
export const AUTOMATIC_ATTEMPT_LIMIT = 5;

/** Repeats only where the effect's kind makes it safe (protocol section 6). */
export function automaticRecovery(facts: AutomaticRecoveryFacts): AutomaticRecovery {
  switch (facts.effectKind) {
    case 'verifiable':
      if (facts.isProbeSilent) return { kind: 'ask', reason: 'probe-silent' };
      if (facts.attemptNumber >= AUTOMATIC_ATTEMPT_LIMIT) return { kind: 'ask', reason: 'repeats-used-up' };
      return { kind: 'probe' };
    case 'idempotent-by-key': {
      const isInWindow = facts.dedupeUntilMs !== null && facts.nowMs < facts.dedupeUntilMs;
      if (!isInWindow) return { kind: 'ask', reason: 'window-over' };
      return repeatWithinLimit(facts);
    }
    case 'read-only':
      return repeatWithinLimit(facts);
    case 'compensable':
    case 'blind':
      return { kind: 'ask', reason: 'kind' };
    default:
      return assertNever(facts.effectKind);
  }
}

function repeatWithinLimit(facts: AutomaticRecoveryFacts): AutomaticRecovery {
  if (facts.attemptNumber >= AUTOMATIC_ATTEMPT_LIMIT) return { kind: 'ask', reason: 'repeats-used-up' };
  return { kind: 'repeat' };
}
