import type { EffectKind } from '../effect/effect-kind.ts';
import type { EffectOutcome } from '../effect/effect-outcome.ts';
import type { TailOutcome } from '../lease/register.ts';
import type { RecoveryChoice } from '../recovery/recovery-options.ts';

/** What has to be known of a settled attempt before the tail is told how it ended. */
export interface SettledFacts {
  readonly outcome: Exclude<EffectOutcome, { kind: 'unclear' }>;
  /** False where it was taken back or withheld: nothing had left, and no answer was recorded. */
  readonly isAnswered: boolean;
  readonly effectKind: EffectKind;
  /** The unclear attempt that this one was permitted to follow, with what was decided about it since; `null` for none. */
  readonly followed: { readonly choice: RecoveryChoice | 'repeat' | null } | null;
}

/**
 * How an attempt that is settled in the journal is settled in the tail, at once and whenever the tail is brought up to the
 * journal later. *Failed* takes the place of what came before; *withdrawn* leaves that as it stands. An automatic repeat by the
 * same key that is refused says nothing about the attempt before it, which may have happened: another device has to find that
 * one open. Where a person wanted it sent again, that person has answered for it.
 */
export function tailOutcomeOf({ outcome, isAnswered, ...facts }: SettledFacts): TailOutcome {
  if (outcome.kind === 'success') return 'committed';
  return isAnswered && !hasDoubtBehind(facts) ? 'failed' : 'withdrawn';
}

/** Whether a repeat that was refused leaves the attempt before it as unclear as it was. */
export function hasDoubtBehind({ effectKind, followed }: Pick<SettledFacts, 'effectKind' | 'followed'>): boolean {
  if (followed === null || effectKind !== 'idempotent-by-key') return false;
  return followed.choice !== 'send-again' && followed.choice !== 'undo-then-send';
}
