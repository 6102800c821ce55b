import type { RetryPolicy } from '../../contract/strategy.ts';
import type { EffectKind } from '../effect/effect-kind.ts';
import type { FailureClass } from '../effect/effect-outcome.ts';

/** What is known about a failed attempt when its repeat is decided. */
export interface RetryFacts {
  readonly class: FailureClass;
  readonly wasSent: boolean;
  readonly effectKind: EffectKind;
  /** Of the attempt that failed, counted from 1. */
  readonly attemptNumber: number;
  /** Repeats of this state in this run so far, over all its visits. */
  readonly repeats: number;
  /** Until when the target knows the key, wall ms; `null` where there is no key. */
  readonly dedupeUntilMs: number | null;
  readonly nowMs: number;
}

/** Whether a failed attempt is followed by another, and after how long. */
export type RetryDecision =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | {
      readonly kind: 'give-up';
      readonly reason: 'no-policy' | 'not-transient' | 'attempts-spent' | 'budget-spent' | 'could-happen-twice';
    };

/**
 * A failure is repeated by itself only if it passes by itself and the repeat cannot do anything a second time: nothing was
 * sent, or the target only reads, or it still knows the key.
 */
export function decideRetry(policy: RetryPolicy | undefined, facts: RetryFacts): RetryDecision {
  if (policy === undefined) return { kind: 'give-up', reason: 'no-policy' };
  if (facts.class !== 'transient') return { kind: 'give-up', reason: 'not-transient' };
  if (facts.attemptNumber >= policy.attempts) return { kind: 'give-up', reason: 'attempts-spent' };
  if (facts.repeats >= policy.budget) return { kind: 'give-up', reason: 'budget-spent' };
  const grownMs = policy.firstDelayMs * policy.factor ** (facts.attemptNumber - 1);
  const delayMs = Math.round(Math.min(policy.longestDelayMs, grownMs));
  if (!isHarmless(facts, delayMs)) return { kind: 'give-up', reason: 'could-happen-twice' };
  return { kind: 'retry', delayMs };
}

function isHarmless(facts: RetryFacts, delayMs: number): boolean {
  if (!facts.wasSent || facts.effectKind === 'read-only') return true;
  if (facts.effectKind !== 'idempotent-by-key' || facts.dedupeUntilMs === null) return false;
  return facts.nowMs + delayMs < facts.dedupeUntilMs;
}
