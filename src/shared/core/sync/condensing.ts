import type { RegisterView } from '../lease/lease.ts';

/** For how long after its end the single entries of a run are kept at least, ms. */
export const RETENTION_MS = 90 * 24 * 3_600_000;

/** What has to be known of a run with its branches before its entries may be dropped. */
export interface FamilyFacts {
  /** Runs of it that have not ended; entries about runs that nobody started count as one. */
  readonly openRuns: number;
  readonly openAttempts: number;
  readonly openQuestions: number;
  /** Entries that were taken in and are not projected yet. */
  readonly isStale: boolean;
  /** Something is still to be started by its end. */
  readonly isAwaited: boolean;
  /** Effects that more than one device may have carried out, and answers that came too late. */
  readonly evidenceCount: number;
  /** Entries that not everybody has. */
  readonly entriesAboveCut: number;
  /** Whether a device may have written about it whose journal nobody here knows. */
  readonly isHeldOutside: boolean;
  /** The last end of all its runs, wall ms. */
  readonly endedAtMs: number;
}

/** Why the entries of a run stay. */
export type CondensingVerdict = { readonly kind: 'condense' } | { readonly kind: 'keep'; readonly reason: KeepReason };

type KeepReason = 'open' | 'stale' | 'awaited' | 'evidence' | 'not-everywhere' | 'held-outside' | 'recent';

/**
 * Whether a device held the right to act whose journal is not among the known ones. It may have a part of runs that look whole
 * here, and could not join any more once the rest of them is gone.
 */
export function wasHeldOutside(
  { lease, tail, frontier }: Pick<RegisterView, 'lease' | 'tail' | 'frontier'>,
  known: ReadonlySet<string>,
): boolean {
  const named = [lease?.holder ?? [], tail.map((entry) => entry.deviceId), Object.keys(frontier)].flat();
  return named.some((deviceId) => !known.has(deviceId));
}

/**
 * Whether the entries of a run may be dropped for good, its results and the oracle kept. Everything that somebody may still
 * act on, or has to look at, keeps all of them.
 */
export function judgeCondensing(
  facts: FamilyFacts,
  of: { readonly nowMs: number; readonly retentionMs: number },
): CondensingVerdict {
  if (facts.openRuns + facts.openAttempts + facts.openQuestions > 0) return { kind: 'keep', reason: 'open' };
  if (facts.isStale) return { kind: 'keep', reason: 'stale' };
  if (facts.isAwaited) return { kind: 'keep', reason: 'awaited' };
  if (facts.evidenceCount > 0) return { kind: 'keep', reason: 'evidence' };
  if (facts.entriesAboveCut > 0) return { kind: 'keep', reason: 'not-everywhere' };
  if (facts.isHeldOutside) return { kind: 'keep', reason: 'held-outside' };
  // A time that cannot be read is no reason to drop anything.
  if (!(of.nowMs - facts.endedAtMs >= of.retentionMs)) return { kind: 'keep', reason: 'recent' };
  return { kind: 'condense' };
}
