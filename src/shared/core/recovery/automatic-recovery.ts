import { assertNever } from '../../lib/assert-never.ts';
import { CLOCK_RATE_TOLERANCE, HOLD_OFF_MS, SEND_WINDOW_MS } from '../lease/lease.ts';
import type { EffectKind } from '../effect/effect-kind.ts';

/** What may be done about an in-doubt claim without asking anybody. */
export type AutomaticRecovery =
  | { readonly kind: 'repeat' }
  | { readonly kind: 'probe' }
  | {
      readonly kind: 'ask';
      readonly reason: 'kind' | 'window-over' | 'repeat-refused' | 'probe-silent' | 'repeats-used-up';
    };

/** The facts that allow or forbid an automatic step. */
export interface AutomaticRecoveryFacts {
  readonly effectKind: EffectKind;
  /** Until when the provider recognises the same key, wall ms; `null` if it never said. */
  readonly dedupeUntilMs: number | null;
  /** `null` when the calendar cannot be believed: it is behind what was written down already. */
  readonly nowMs: number | null;
  /** Whether a probe has already answered that it does not know. */
  readonly isProbeSilent: boolean;
  readonly attemptNumber: number;
  /** A repeat came back as *not done*, which is no answer about the attempt that it repeated. */
  readonly isRepeatRefused: boolean;
}

/**
 * For how long after planning the first attempt a repeat by the same key may be decided, ms: the provider's window by the
 * slowest clock that is tolerated, less the time that the repeat itself may take from its decision to its send.
 */
export function repeatTermMs(dedupeWindowMs: number): number {
  return Math.max(0, Math.floor(dedupeWindowMs / CLOCK_RATE_TOLERANCE) - HOLD_OFF_MS - SEND_WINDOW_MS);
}

/** The most attempts that are made without a person, so that a target that kills its caller is not called for ever. */
export const AUTOMATIC_ATTEMPT_LIMIT = 5;

/** Ends of an attempt at which this side stopped listening while the other one may still have been at work. */
const LEFT_AT_WORK: ReadonlySet<string> = new Set(['timeout', 'aborted']);

/**
 * Whether a look that found nothing says that nothing will come of the attempt. What timed out or was broken off may still
 * be under way where it arrived: a repeat would then be a second one.
 */
export function isNoFinal(doubtCode: string | null): boolean {
  return doubtCode === null || !LEFT_AT_WORK.has(doubtCode);
}

/** Repeats only where the effect's kind makes it safe (protocol section 6). */
export function automaticRecovery(facts: AutomaticRecoveryFacts): AutomaticRecovery {
  switch (facts.effectKind) {
    case 'verifiable':
      if (facts.isProbeSilent) return { kind: 'ask', reason: 'probe-silent' };
      if (facts.attemptNumber >= AUTOMATIC_ATTEMPT_LIMIT) return { kind: 'ask', reason: 'repeats-used-up' };
      return { kind: 'probe' };
    case 'idempotent-by-key': {
      if (facts.isRepeatRefused) return { kind: 'ask', reason: 'repeat-refused' };
      const { dedupeUntilMs, nowMs } = facts;
      const isInWindow = dedupeUntilMs !== null && nowMs !== null && nowMs < dedupeUntilMs;
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
