import { useMemo, useRef } from 'react';
import type { RunsView } from '../../../shared/contract/views.ts';
import { useQueries } from '../../state/use-queries.ts';
import { pageRequest, useRunsList } from './run-filters.ts';
import type { RunFilters } from './run-filters.ts';
import { keptPages, loadedRows, pagesFor } from './run-rows.ts';
import type { LoadedRows } from './run-rows.ts';

/** The rows of the visible stretch. Pages that scrolled away are kept as they were until they are seen again. */
export function useRunPages(
  filters: RunFilters,
  first: number,
  last: number,
): LoadedRows & { readonly latest: RunsView | null } {
  const wanted = pagesFor(first, last);
  const views = useQueries(
    'runs.list',
    wanted.map((page) => pageRequest(filters, page)),
  );
  const kept = useRef<{ filters: RunFilters; pages: Map<number, RunsView> }>({ filters, pages: new Map() });
  return useMemo(() => {
    if (kept.current.filters !== filters) kept.current = { filters, pages: new Map() };
    const { selectedId, choice } = useRunsList.getState();
    const pages = keptPages(kept.current.pages, wanted, [selectedId, choice.anchor?.runId ?? null]);
    // Of two pages on the screen one must not be older than the other: a row would be there twice, or not at all.
    const isOneMoment = new Set(views.flatMap((view) => view?.sequence ?? [])).size <= 1;
    for (const [index, page] of wanted.entries()) {
      const view = views[index];
      if (view !== null && view !== undefined && (isOneMoment || !pages.has(page))) pages.set(page, view);
    }
    kept.current.pages = pages;
    const latest = views.find((view) => view !== null) ?? null;
    return { ...loadedRows(pages), latest };
    // The pages wanted are told apart by their number.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [filters, wanted.join(), ...views.slice(0, 2)]);
}
