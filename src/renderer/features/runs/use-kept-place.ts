import { useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { useRunsList } from './run-filters.ts';
import type { RunFilters } from './run-filters.ts';
import { movedBy } from './run-rows.ts';
import type { LoadedRows } from './run-rows.ts';

/** Keeps the row under the eye where it is when rows come in above it, and counts those. */
export function useKeptPlace(options: {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rows: LoadedRows;
  readonly rowHeight: number;
  readonly filters: RunFilters;
}): { readonly newAbove: number; readonly goToTop: () => void; readonly scrolled: () => void } {
  const { scroller, rows, rowHeight, filters } = options;
  const before = useRef<{ rows: LoadedRows; filters: RunFilters } | null>(null);
  const [newAbove, setNewAbove] = useState(0);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { rows, filters };
    const element = scroller.current;
    if (element === null || last === null || last.rows === rows) return;
    if (last.filters !== filters) {
      element.scrollTo({ top: 0 });
      setNewAbove(0);
      return;
    }
    const keptId = keptRow(element, last.rows, rowHeight);
    if (keptId === null) return;
    const moved = movedBy(last.rows, rows, keptId);
    if (moved.rows <= 0) return;
    element.scrollBy({ top: moved.rows * rowHeight });
    setNewAbove((known) => known + moved.newAbove);
  }, [rows, filters, rowHeight, scroller]);
  return {
    newAbove,
    goToTop: () => {
      scroller.current?.scrollTo({ top: 0 });
      setNewAbove(0);
    },
    scrolled: () => {
      const top = scroller.current?.scrollTop ?? 0;
      useRunsList.setState({ scrollTop: top });
      if (top === 0) setNewAbove(0);
    },
  };
}

/** The row that must not move: the selected one or, when the list is scrolled, the first visible one. */
function keptRow(element: HTMLElement, rows: LoadedRows, rowHeight: number): string | null {
  const first = Math.ceil(element.scrollTop / rowHeight);
  const last = Math.floor((element.scrollTop + element.clientHeight) / rowHeight) - 2;
  const { selectedId } = useRunsList.getState();
  const selected = selectedId === null ? -1 : rows.indexOf(selectedId);
  if (selected >= first && selected <= last) return selectedId;
  const isUnderCursor = element.matches(':hover');
  return element.scrollTop > 0 || isUnderCursor ? (rows.rowAt(first)?.runId ?? null) : null;
}
