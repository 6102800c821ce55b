import type { RunRow, RunsView } from '../../../shared/contract/views.ts';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { PAGE_ROWS } from './run-filters.ts';
import { text } from './strings.ts';

/** Rows by place, out of the pages that have arrived. */
export interface LoadedRows {
  readonly rowAt: (index: number) => RunRow | null;
  readonly indexOf: (runId: string) => number;
  readonly ids: ReadonlySet<string>;
}

/** Puts pages together; a missing page leaves holes, never wrong places. */
export function loadedRows(pages: ReadonlyMap<number, RunsView>): LoadedRows {
  const indexes = new Map<string, number>();
  for (const [page, view] of pages) {
    for (const [place, row] of view.rows.entries()) indexes.set(row.runId, page * PAGE_ROWS + place);
  }
  return {
    rowAt: (index) => pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS] ?? null,
    indexOf: (runId) => indexes.get(runId) ?? -1,
    ids: new Set(indexes.keys()),
  };
}

/** How far from the visible stretch pages are kept. A list of 100,000 runs that was scrolled through must not stay as a whole. */
const KEPT_PAGES = 6;

/** The pages near the wanted ones, and those with a row that something may still begin from. */
export function keptPages(
  pages: ReadonlyMap<number, RunsView>,
  wanted: readonly number[],
  keptIds: readonly (string | null)[],
): Map<number, RunsView> {
  const isNear = (page: number) => wanted.some((each) => Math.abs(each - page) <= KEPT_PAGES);
  const isHeld = (view: RunsView) => view.rows.some((row) => keptIds.includes(row.runId));
  return new Map([...pages].filter(([page, view]) => isNear(page) || isHeld(view)));
}

/** The pages that a stretch of rows lies on. */
export function pagesFor(first: number, last: number): number[] {
  const from = Math.max(0, Math.floor(first / PAGE_ROWS));
  const to = Math.max(from, Math.floor(Math.max(0, last) / PAGE_ROWS));
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** How far a kept row has moved, and how many rows that were not there before now lie above it. */
export function movedBy(
  before: LoadedRows,
  after: LoadedRows,
  keptId: string,
): { readonly rows: number; readonly newAbove: number } {
  const from = before.indexOf(keptId);
  const to = after.indexOf(keptId);
  if (from < 0 || to < 0 || from === to) return { rows: 0, newAbove: 0 };
  let newAbove = 0;
  for (let index = 0; index < to; index++) {
    const row = after.rowAt(index);
    if (row !== null && !before.ids.has(row.runId)) newAbove++;
  }
  return { rows: to - from, newAbove };
}

export interface BandPart {
  readonly id: string;
  readonly label: string;
  readonly status: RunStatus;
  readonly count: number;
}

const bandParts: readonly { readonly label: string; readonly statuses: readonly [RunStatus, ...RunStatus[]] }[] = [
  { label: text.band.needs, statuses: ['needs-recovery', 'needs-approval'] },
  { label: text.band.running, statuses: ['running-here', 'running-elsewhere'] },
  { label: text.band.waiting, statuses: ['waiting'] },
  { label: text.band.done, statuses: ['done'] },
  { label: text.band.refused, statuses: ['refused'] },
  { label: text.band.unsent, statuses: ['failed-nothing-sent'] },
  { label: text.band.sent, statuses: ['failed-was-sent'] },
  { label: text.band.stopped, statuses: ['stopped'] },
  { label: text.band.missed, statuses: ['missed'] },
];

/** The proportional band; parts without a run are left out. */
export function bandOf(counts: Readonly<Partial<Record<RunStatus, number>>>): BandPart[] {
  return bandParts
    .map(({ label, statuses }) => ({
      id: statuses[0],
      label,
      status: statuses[0],
      count: statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0),
    }))
    .filter((part) => part.count > 0);
}

/** Whether a row waits for a person. */
export function needsPerson(status: RunStatus): boolean {
  return status === 'needs-recovery' || status === 'needs-approval';
}
