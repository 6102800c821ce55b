import { create } from 'zustand';
import type { RequestOf } from '../../../shared/contract/api.ts';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { text } from './strings.ts';

export interface RunFilters {
  readonly search: string;
  readonly statuses: readonly RunStatus[];
  readonly agentId: string | null;
}

export const NO_FILTERS: RunFilters = { search: '', statuses: [], agentId: null };

export interface SavedView {
  readonly id: string;
  readonly label: string;
  readonly statuses: readonly RunStatus[];
}

export const savedViews: readonly SavedView[] = [
  { id: 'all', label: text.all, statuses: [] },
  { id: 'needs', label: text.needsYou, statuses: ['needs-recovery', 'needs-approval'] },
  { id: 'in-flight', label: text.inFlight, statuses: ['running-here', 'running-elsewhere', 'waiting'] },
  { id: 'done', label: text.done, statuses: ['done'] },
  { id: 'withdrawn', label: text.notSent, statuses: ['refused', 'failed-nothing-sent', 'missed', 'stopped'] },
  { id: 'sent-and-failed', label: text.sentAndFailed, statuses: ['failed-was-sent'] },
];

/** The view whose states are exactly the chosen ones; empty when the person chose others. */
export function viewOf(statuses: readonly RunStatus[]): string {
  const chosen = [...statuses].toSorted().join(' ');
  return savedViews.find((view) => [...view.statuses].toSorted().join(' ') === chosen)?.id ?? '';
}

/** How many runs a view holds. */
export function countOf(view: SavedView, counts: Readonly<Partial<Record<RunStatus, number>>>): number {
  return view.statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** The request for one page. */
export function pageRequest(filters: RunFilters, page: number): RequestOf<'runs.list'> {
  return {
    search: filters.search.trim().slice(0, 200),
    statuses: [...filters.statuses],
    ...(filters.agentId === null ? {} : { agentId: filters.agentId }),
    offset: page * PAGE_ROWS,
    limit: PAGE_ROWS,
  };
}

export const PAGE_ROWS = 200;

interface RunsListState {
  readonly filters: RunFilters;
  readonly selectedId: string | null;
  readonly scrollTop: number;
}

/** Filters, selection and place survive leaving the screen. */
export const useRunsList = create<RunsListState>(() => ({ filters: NO_FILTERS, selectedId: null, scrollTop: 0 }));

/** Changes filters and goes back to the top. */
export function setFilters(change: Partial<RunFilters>): void {
  useRunsList.setState(({ filters }) => ({ filters: { ...filters, ...change }, scrollTop: 0 }));
}

/** Chooses a row. */
export function selectRun(selectedId: string | null): void {
  useRunsList.setState({ selectedId });
}
