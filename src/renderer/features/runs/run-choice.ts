import { RUNS_CHOSEN_MAX } from '../../../shared/contract/run-views.ts';
import type { RunRow } from '../../../shared/contract/views.ts';

/** The runs that something is going to be done with, and from where a stretch of them is counted. */
export interface RunChoice {
  readonly ids: ReadonlySet<string>;
  /** The row that a stretch begins at, with what was chosen besides the stretch; `null` before the first. */
  readonly anchor: { readonly runId: string; readonly besides: ReadonlySet<string> } | null;
  /** More would have been chosen than can be at a time. */
  readonly isCut: boolean;
}

export const NO_CHOICE: RunChoice = { ids: new Set(), anchor: null, isCut: false };

/** One run more, or one less; the next stretch begins there. */
export function toggled(choice: RunChoice, runId: string): RunChoice {
  const next = new Set(choice.ids);
  if (!next.delete(runId)) next.add(runId);
  return cut(next, { runId, besides: next });
}

/** A stretch of rows from the anchor on, instead of the last stretch from there. */
export function stretched(choice: RunChoice, anchorId: string, stretch: readonly string[]): RunChoice {
  const anchor = choice.anchor ?? { runId: anchorId, besides: choice.ids };
  return cut(new Set([...anchor.besides, ...stretch]), anchor);
}

/** Exactly these, the first ones of `total` that match. */
export function allOf(ids: readonly string[], total: number): RunChoice {
  const all = cut(new Set(ids), null);
  return { ...all, isCut: all.isCut || total > all.ids.size };
}

/** What is left after some were dealt with. */
export function without(choice: RunChoice, dealtWith: ReadonlySet<string>): RunChoice {
  return { ids: new Set([...choice.ids].filter((id) => !dealtWith.has(id))), anchor: null, isCut: false };
}

function cut(ids: ReadonlySet<string>, anchor: RunChoice['anchor']): RunChoice {
  const isCut = ids.size > RUNS_CHOSEN_MAX;
  return { ids: isCut ? new Set([...ids].slice(0, RUNS_CHOSEN_MAX)) : ids, anchor, isCut };
}

/** The rows between two places, both included. */
export function stretchBetween(one: number, other: number): { readonly first: number; readonly count: number } {
  return { first: Math.min(one, other), count: Math.abs(one - other) + 1 };
}

/** What stopping would mean for the chosen runs, as they stand now. */
export interface Stopping {
  /** These have not ended. */
  readonly openIds: readonly string[];
  /** Of the open ones: something of them may be on its way. */
  readonly working: number;
  /** Of the open ones: a person has yet to say what became of a step. */
  readonly unclear: number;
  /** Of the open ones: the right to act on them is another device's. */
  readonly elsewhere: number;
  readonly ended: number;
}

/** Sorts the chosen runs by what stopping means for them. */
export function stoppingOf(rows: readonly RunRow[]): Stopping {
  const open = rows.filter((row) => row.endedAtMs === null && row.status !== 'missed');
  const count = (...statuses: readonly RunRow['status'][]): number =>
    open.filter((row) => statuses.includes(row.status)).length;
  return {
    openIds: open.map((row) => row.runId),
    working: count('running-here', 'running-elsewhere'),
    unclear: count('needs-recovery'),
    elsewhere: count('running-elsewhere'),
    ended: rows.length - open.length,
  };
}
