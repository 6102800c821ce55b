import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { countOf, savedViews, setFilters, useRunsList, viewOf } from './run-filters.ts';
import { count, text } from './strings.ts';

/** Saved views: filters by name. */
export function RunsTabs({ counts }: { readonly counts: Readonly<Partial<Record<RunStatus, number>>> }) {
  const current = useRunsList((state) => viewOf(state.filters.statuses));
  return (
    <div className="tabs">
      <nav className="tablist" aria-label={text.views}>
        {savedViews.map((view) => (
          <button
            key={view.id}
            type="button"
            className="tab"
            aria-pressed={view.id === current}
            onClick={() => setFilters({ statuses: view.statuses })}
          >
            {view.label}
            {view.statuses.length > 0 && <span className="n">{count(countOf(view, counts))}</span>}
          </button>
        ))}
      </nav>
    </div>
  );
}
