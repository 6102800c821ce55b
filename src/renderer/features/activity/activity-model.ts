import type { RequestOf } from '../../../shared/contract/api.ts';
import type { ActivityRow } from '../../../shared/contract/activity-views.ts';
import type { ActKind } from '../../../shared/contract/acts.ts';

const DAY_MS = 86_400_000;

export type TimeChoice = 'day' | 'week' | 'month';

/** Which entries are shown; `null` and none for all. */
export interface ActivityFilters {
  readonly acts: readonly ActKind[];
  readonly agentId: string | null;
  readonly deviceId: string | null;
  readonly time: { readonly choice: TimeChoice; readonly sinceMs: number } | null;
}

export const NO_FILTERS: ActivityFilters = { acts: [], agentId: null, deviceId: null, time: null };

const SPANS_MS: Readonly<Record<TimeChoice, number>> = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS };

/** A stretch of time that ends now; its beginning stays where it is while the list is looked at. */
export function timeFilter(choice: TimeChoice, nowMs: number): ActivityFilters['time'] {
  return { choice, sinceMs: nowMs - SPANS_MS[choice] };
}

export function isFiltered({ acts, agentId, deviceId, time }: ActivityFilters): boolean {
  return acts.length > 0 || agentId !== null || deviceId !== null || time !== null;
}

/** The part of a request that says which entries. */
export function filterRequest({ acts, agentId, deviceId, time }: ActivityFilters): RequestOf<'activity.list'> {
  return {
    ...(acts.length === 0 ? {} : { acts: [...acts] }),
    ...(agentId === null ? {} : { agentId }),
    ...(deviceId === null ? {} : { deviceId }),
    ...(time === null ? {} : { sinceMs: time.sinceMs }),
  };
}

/** Adds a page below; an entry that is there already is not shown twice. */
export function withPage(rows: readonly ActivityRow[], page: readonly ActivityRow[]): readonly ActivityRow[] {
  const last = rows.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  return [...rows, ...page.filter((row) => row.seq < last)];
}

/** Where a step of the selection leads; the first row where nothing is selected. */
export function steppedTo(rows: readonly ActivityRow[], selectedSeq: number | null, step: number): number {
  const at = rows.findIndex((row) => row.seq === selectedSeq);
  const next = at < 0 ? 0 : at + step;
  return Math.min(rows.length - 1, Math.max(0, next));
}

/** `812 B`, `48.7 MB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const shown = unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1));
  return `${shown} ${units[unit] ?? ''}`;
}

/** How a person checks a file on another machine. Quoted: a name may hold spaces. */
export function verifyCommand(of: {
  readonly fileName: string;
  readonly deviceId: string;
  readonly publicKey: string;
}): string {
  const key = of.publicKey === '' ? '' : ` --key ${of.deviceId}=${of.publicKey}`;
  return `fencepost verify "${of.fileName}"${key}`;
}
