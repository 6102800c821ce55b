import type { TextRange } from '../lib/search-text.ts';
import type { RunStatus } from '../core/run/run-state.ts';

/** What a search looks in: names of runs, what and whom a step is about, and what became of it. */
export type SearchKind = 'run' | 'target' | 'summary';

/** The groups of an answer, in the order in which they are shown. */
export const SEARCH_KINDS: readonly SearchKind[] = ['run', 'target', 'summary'];

/** One text in which everything that was looked for was found. All texts are untrusted. */
export interface SearchHit {
  readonly runId: string;
  readonly number: number;
  readonly title: string;
  readonly agentName: string;
  readonly status: RunStatus;
  /** What was found, or the beginning of it. */
  readonly text: string;
  /** Where in `text` it was found. */
  readonly ranges: readonly TextRange[];
  /** When it was written down, wall ms. */
  readonly atMs: number;
}

/** The hits of one kind, the newest first. */
export interface SearchGroup {
  readonly kind: SearchKind;
  readonly hits: readonly SearchHit[];
  /** Give it back as `before` for the hits that follow; `null` if these were all. */
  readonly next: number | null;
}

/** What was found. Groups without a hit are left out. */
export interface SearchView {
  readonly sequence: number;
  readonly groups: readonly SearchGroup[];
  /** Words of one or two letters alone are looked for in the newest entries only. */
  readonly isNewestOnly: boolean;
}
