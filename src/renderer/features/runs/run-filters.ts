import { create } from 'zustand';
import type { RequestOf } from '../../../shared/contract/api.ts';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import type { ListTime, SavedView } from '../../../shared/contract/saved-views.ts';
import { stretchOf } from '../../ui/time-filter.ts';
import { NO_CHOICE } from './run-choice.ts';
import type { RunChoice } from './run-choice.ts';
import { text } from './strings.ts';

export interface RunFilters {
  readonly search: string;
  readonly statuses: readonly RunStatus[];
  readonly agentId: string | null;
  readonly deviceId: string | null;
  readonly time: ListTime | null;
}

export const NO_FILTERS: RunFilters = { search: '', statuses: [], agentId: null, deviceId: null, time: null };

/** Whether anything besides the states is asked for. */
export function isNarrowed({ search, agentId, deviceId, time }: RunFilters): boolean {
  return search.trim() !== '' || agentId !== null || deviceId !== null || time !== null;
}

/** A view that comes with the app. */
interface BuiltInView {
  readonly id: string;
  readonly label: string;
  readonly statuses: readonly RunStatus[];
}

export const builtInViews: readonly BuiltInView[] = [
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
  return builtInViews.find((view) => [...view.statuses].toSorted().join(' ') === chosen)?.id ?? '';
}

/** The saved view whose filters are exactly the ones in use. */
export function savedViewOf(views: readonly SavedView[], filters: RunFilters): SavedView | null {
  const inUse = keyOf(filters);
  return views.find((view) => keyOf(view) === inUse) ?? null;
}

function keyOf({ search, statuses, agentId, deviceId, time }: RunFilters): string {
  const days = time?.kind === 'between' ? [time.from, time.until] : [];
  return JSON.stringify([search.trim(), [...statuses].toSorted(), agentId, deviceId, time?.kind, days]);
}

/** The filters of a view, as they are used. */
export function filtersOf({ search, statuses, agentId, deviceId, time }: RunFilters): RunFilters {
  return { search: search.trim(), statuses, agentId, deviceId, time };
}

/** How many runs a view holds. */
export function countOf(view: BuiltInView, counts: Readonly<Partial<Record<RunStatus, number>>>): number {
  return view.statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** The request for one page, as days are at a moment. */
export function pageRequest(filters: RunFilters, page: number, nowMs: number = Date.now()): RequestOf<'runs.list'> {
  const { agentId, deviceId, time } = filters;
  return {
    search: filters.search.trim().slice(0, 200),
    statuses: [...filters.statuses],
    ...(agentId === null ? {} : { agentId }),
    ...(deviceId === null ? {} : { deviceId }),
    ...(time === null ? {} : stretchOf(time, nowMs)),
    offset: page * PAGE_ROWS,
    limit: PAGE_ROWS,
  };
}

export const PAGE_ROWS = 200;

interface RunsListState {
  readonly filters: RunFilters;
  /** The row that keys act on. */
  readonly selectedId: string | null;
  /** The rows that something is going to be done with. */
  readonly choice: RunChoice;
  readonly scrollTop: number;
}

/** Filters, selection and place survive leaving the screen. */
export const useRunsList = create<RunsListState>(() => ({
  filters: NO_FILTERS,
  selectedId: null,
  choice: NO_CHOICE,
  scrollTop: 0,
}));

/** Changes filters and goes back to the top. Nothing stays chosen that may not be seen any more. */
export function setFilters(change: Partial<RunFilters>): void {
  useRunsList.setState(({ filters }) => ({ filters: { ...filters, ...change }, choice: NO_CHOICE, scrollTop: 0 }));
}

/** Changes what is chosen. Rows that come in, move or end change nothing about it. */
export function choose(change: (choice: RunChoice) => RunChoice): void {
  useRunsList.setState(({ choice }) => ({ choice: change(choice) }));
}

/** Chooses a row. */
export function selectRun(selectedId: string | null): void {
  useRunsList.setState({ selectedId });
}
