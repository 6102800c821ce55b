import type { RetryPolicy } from '../../contract/strategy.ts';
import type { EffectKind } from '../effect/effect-kind.ts';
import type { FailureClass } from '../effect/effect-outcome.ts';

/** What is known about a failed attempt when its repeat is decided. */
export interface RetryFacts {
  readonly class: FailureClass;
  readonly wasSent: boolean;
  /** Whether an earlier attempt at the same effect may have reached the target. */
  readonly wasSentBefore: boolean;
  readonly effectKind: EffectKind;
  /** Attempts at this effect that may have reached the target, the failed one included; one that never left is none. */
  readonly attemptsMade: number;
  /** Repeats of this state in this run so far, over all its visits. */
  readonly repeats: number;
  /** Until when the target knows the key, wall ms; `null` where there is no key. */
  readonly dedupeUntilMs: number | null;
  /** Wall ms; `null` when the calendar cannot be believed: it is behind what was written down already. */
  readonly nowMs: number | null;
}

/** What it depends on whether a repeat could do something a second time. */
type RepeatFacts = Pick<RetryFacts, 'wasSent' | 'wasSentBefore' | 'effectKind' | 'dedupeUntilMs' | 'nowMs'>;

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
  if (facts.attemptsMade >= policy.attempts) return { kind: 'give-up', reason: 'attempts-spent' };
  if (facts.repeats >= policy.budget) return { kind: 'give-up', reason: 'budget-spent' };
  const grownMs = policy.firstDelayMs * policy.factor ** (facts.attemptsMade - 1);
  const delayMs = Math.round(Math.min(policy.longestDelayMs, grownMs));
  if (!isHarmless(facts, delayMs)) return { kind: 'give-up', reason: 'could-happen-twice' };
  return { kind: 'retry', delayMs };
}

/**
 * Whether a repeat that was decided in time could do it a second time by now: it was held up, by a sleep, a pause or a change of
 * device, until the target may have forgotten the key.
 */
export function isRepeatTooLate(facts: RepeatFacts): boolean {
  return facts.effectKind === 'idempotent-by-key' && !isHarmless(facts, 0);
}

function isHarmless(facts: RepeatFacts, delayMs: number): boolean {
  if (facts.effectKind === 'read-only') return true;
  if (facts.effectKind !== 'idempotent-by-key') return !facts.wasSent;
  if (!facts.wasSent && !facts.wasSentBefore) return true;
  const { dedupeUntilMs, nowMs } = facts;
  return dedupeUntilMs !== null && nowMs !== null && nowMs + delayMs < dedupeUntilMs;
}
