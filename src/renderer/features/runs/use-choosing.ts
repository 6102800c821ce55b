import type { KeyboardEvent } from 'react';
import { callHost } from '../../state/host-store.ts';
import { choose, pageRequest, useRunsList } from './run-filters.ts';
import type { RunFilters } from './run-filters.ts';
import { NO_CHOICE, allOf, stretchBetween, stretched, toggled } from './run-choice.ts';
import type { LoadedRows } from './run-rows.ts';
import { RUNS_CHOSEN_MAX } from '../../../shared/contract/run-views.ts';

/** Choosing rows by mouse and keyboard. Nothing is done with them yet. */
export interface Choosing {
  readonly press: (kind: 'toggle' | 'stretch', runId: string, index: number) => void;
  /** Moves on by rows and chooses everything from where the stretch began. */
  readonly stretchBy: (step: number) => void;
  /** Whether the key was one for choosing. */
  readonly keyPressed: (event: KeyboardEvent) => boolean;
}

export function useChoosing(of: {
  readonly rows: LoadedRows;
  readonly filters: RunFilters;
  readonly total: number;
  readonly move: (step: number) => number;
}): Choosing {
  const { rows, filters, move } = of;
  const stretchTo = (index: number, fromId: string) => {
    const anchorId = useRunsList.getState().choice.anchor?.runId ?? fromId;
    const from = rows.indexOf(anchorId);
    void choosePlaces({ rows, filters, from: from < 0 ? index : from, to: index }, anchorId);
  };
  return {
    press(kind, runId, index) {
      const before = useRunsList.getState().selectedId;
      useRunsList.setState({ selectedId: runId });
      if (kind === 'toggle') choose((choice) => toggled(choice, runId));
      else stretchTo(index, before ?? runId);
    },
    stretchBy(step) {
      const before = useRunsList.getState().selectedId;
      const index = move(step);
      stretchTo(index, before ?? rows.rowAt(index)?.runId ?? '');
    },
    keyPressed(event) {
      const { selectedId, choice } = useRunsList.getState();
      if (event.key === ' ' && selectedId !== null) choose((now) => toggled(now, selectedId));
      else if (event.key === 'Escape' && choice.ids.size > 0) choose(() => NO_CHOICE);
      else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) void chooseAll(filters);
      else return false;
      return true;
    },
  };
}

/** Chooses everything that the filters let through, as far as can be at a time. */
export async function chooseAll(filters: RunFilters): Promise<void> {
  const answer = await callHost('runs.list', { ...pageRequest(filters, 0), limit: RUNS_CHOSEN_MAX });
  // What was filtered otherwise meanwhile is not what was meant.
  if (!answer.ok || useRunsList.getState().filters !== filters) return;
  const { rows, shown } = answer.value;
  choose(() =>
    allOf(
      rows.map((row) => row.runId),
      shown,
    ),
  );
}

/** Rows that have yet to arrive are asked for: a stretch has no holes. */
async function choosePlaces(
  of: { readonly rows: LoadedRows; readonly filters: RunFilters; readonly from: number; readonly to: number },
  anchorId: string,
): Promise<void> {
  const { first, count } = stretchBetween(of.from, of.to);
  const known = Array.from({ length: count }, (_, place) => of.rows.rowAt(first + place)?.runId ?? null);
  const ids = known.filter((id) => id !== null);
  if (ids.length === count) return choose((choice) => stretched(choice, anchorId, ids));
  const limit = Math.min(count, RUNS_CHOSEN_MAX);
  const answer = await callHost('runs.list', { ...pageRequest(of.filters, 0), offset: first, limit });
  if (!answer.ok || useRunsList.getState().filters !== of.filters) return;
  const arrived = answer.value.rows.map((row) => row.runId);
  choose((choice) => ({ ...stretched(choice, anchorId, arrived), isCut: count > limit }));
}
