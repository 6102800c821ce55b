import { create } from 'zustand';
import type { ActivityRow, ActivityView } from '../../../shared/contract/activity-views.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { callHost } from '../../state/host-store.ts';
import { filterRequest, NO_FILTERS, withPage } from './activity-model.ts';
import type { ActivityFilters } from './activity-model.ts';

/** Rows in one answer: a screen and a half, so that the first is there at once. */
const PAGE_ROWS = 100;

interface ActivityState {
  readonly filters: ActivityFilters;
  readonly rows: readonly ActivityRow[];
  readonly devices: ActivityView['devices'];
  /** Where to read on; `null` at the beginning of the record. `undefined` before the first answer. */
  readonly before: number | null | undefined;
  /** The newest place when the list was begun; what comes later is news. */
  readonly newestSeq: number;
  readonly isLoading: boolean;
  readonly problem: Problem | null;
  readonly selectedSeq: number | null;
  readonly scrollTop: number;
}

const EMPTY = { rows: [], before: undefined, newestSeq: 0, isLoading: false, problem: null, scrollTop: 0 } as const;

/** Rows, filters, selection and place survive leaving the screen: what was read never changes. */
export const useActivity = create<ActivityState>(() => ({
  ...EMPTY,
  filters: NO_FILTERS,
  devices: [],
  selectedSeq: null,
}));

/** Which list is being read: an answer for an earlier one comes too late. */
let reading = 0;

/** Begins the list anew, from the newest entry. What is shown stays until the answer is there. */
export async function readFromNewest(): Promise<void> {
  reading += 1;
  useActivity.setState({ isLoading: true, problem: null });
  await readPage(reading, { isFirst: true });
}

/** Reads on below what is there. Does nothing while an answer is on its way, or at the end. */
export async function readEarlier(): Promise<void> {
  const { isLoading, before } = useActivity.getState();
  if (isLoading || before === null || before === undefined) return;
  useActivity.setState({ isLoading: true, problem: null });
  await readPage(reading, { isFirst: false });
}

async function readPage(of: number, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
  const { filters, before } = useActivity.getState();
  const place = isFirst || before === null || before === undefined ? {} : { before };
  const answer = await callHost('activity.list', { ...filterRequest(filters), ...place, limit: PAGE_ROWS });
  if (of !== reading) return;
  if (!answer.ok) {
    useActivity.setState({ isLoading: false, problem: answer.error });
    return;
  }
  const view = answer.value;
  useActivity.setState((now) => ({
    rows: isFirst ? view.rows : withPage(now.rows, view.rows),
    devices: view.devices,
    before: view.before,
    newestSeq: isFirst ? view.newestSeq : now.newestSeq,
    isLoading: false,
    problem: null,
    ...(isFirst ? { scrollTop: 0 } : {}),
  }));
  // The host looks through a stretch at a time. Where little fits, the first screen is several stretches away.
  if (view.before !== null && useActivity.getState().rows.length < PAGE_ROWS / 2) await readEarlier();
}

/** Changes filters and begins anew. */
export function setFilters(change: Partial<ActivityFilters>): void {
  useActivity.setState(({ filters }) => ({ ...EMPTY, filters: { ...filters, ...change } }));
  void readFromNewest();
}

/** Chooses an entry. */
export function selectEntry(selectedSeq: number | null): void {
  useActivity.setState({ selectedSeq });
}
