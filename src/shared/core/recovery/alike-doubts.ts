import { encodeIdentity } from '../../lib/identity.ts';
import type { RecoveryChoice, RecoveryOption } from './recovery-options.ts';

/** What can be decided for several unclear steps at once: it sends nothing, so that no slip does anything many times. */
export const BATCH_CHOICES = ['it-happened', 'stop-here'] as const satisfies readonly RecoveryChoice[];

export type BatchChoice = (typeof BATCH_CHOICES)[number];

/** The most unclear steps that are decided together: each of them is to be read first. */
export const BATCH_MAX = 20;

/** What makes unclear steps alike. */
export interface DoubtFacts {
  readonly tool: string;
  /** Why nobody knows, as it was written down; `null` if it was not. */
  readonly doubtCode: string | null;
  readonly madeBy: string | null;
  /** Something is known about this one that is not known about the others: a look or a late answer. */
  readonly hasEvidence: boolean;
}

/**
 * The same for unclear steps that may be decided together: the same adapter, the same cause, the same device that it befell.
 * `null`: by itself only.
 */
export function alikeDoubt({ tool, doubtCode, madeBy, hasEvidence }: DoubtFacts): string | null {
  if (doubtCode === null || madeBy === null || hasEvidence) return null;
  return encodeIdentity([tool, doubtCode, madeBy]);
}

/** The choices that every one of several steps offers and that send nothing. */
export function batchChoices(steps: readonly (readonly RecoveryOption[])[]): readonly BatchChoice[] {
  return BATCH_CHOICES.filter((choice) =>
    steps.every((options) => options.some((option) => option.choice === choice && option.sends === 'nothing')),
  );
}
