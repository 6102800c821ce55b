import { useState } from 'react';
import type { RunStatus } from '../../../shared/core/run/run-state.ts';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import {
  NO_FILTERS,
  builtInViews,
  countOf,
  filtersOf,
  savedViewOf,
  setFilters,
  useRunsList,
  viewOf,
} from './run-filters.ts';
import { SaveViewDialog } from './save-view-dialog.tsx';
import { count, text } from './strings.ts';

/** Views by name: those that come with the app first, then the saved ones. */
export function RunsTabs({ counts }: { readonly counts: Readonly<Partial<Record<RunStatus, number>>> }) {
  const filters = useRunsList((state) => state.filters);
  const { value, refetch } = useQuery('savedViews.list', {});
  const removing = useAction('savedViews.remove');
  const [naming, setNaming] = useState<'new' | 'old' | null>(null);
  const [said, setSaid] = useState('');
  const views = value?.views ?? [];
  const saved = savedViewOf(views, filters);
  const builtIn = saved === null ? viewOf(filters.statuses) : '';
  const isWorthAName = saved === null && (builtIn === '' || filters.search.trim() !== '' || filters.agentId !== null);
  async function remove(viewId: string): Promise<void> {
    const answer = await removing.run({ viewId });
    setSaid(answer.ok ? answer.value.sentence : `${answer.error.message} ${answer.error.wayOut}`.trim());
    refetch();
  }
  return (
    <div className="tabs">
      <nav className="tablist" aria-label={text.views}>
        {builtInViews.map((view) => (
          <button
            key={view.id}
            type="button"
            className="tab"
            aria-pressed={view.id === builtIn}
            onClick={() =>
              setFilters(saved === null ? { statuses: view.statuses } : { ...NO_FILTERS, statuses: view.statuses })
            }
          >
            {view.label}
            {view.statuses.length > 0 && <span className="n">{count(countOf(view, counts))}</span>}
          </button>
        ))}
        {views.map((view) => (
          <button
            key={view.viewId}
            type="button"
            className="tab"
            aria-pressed={view.viewId === saved?.viewId}
            onClick={() => setFilters(filtersOf(view))}
          >
            <VisibleText text={view.name} />
          </button>
        ))}
      </nav>
      <span className="right flex runs-views">
        <output className="t12 ink3">{said}</output>
        {isWorthAName && (
          <Button size="small" variant="quiet" icon="plus" onClick={() => setNaming('new')}>
            {text.saved.save}
          </Button>
        )}
        {saved !== null && (
          <>
            <Button size="small" variant="quiet" onClick={() => setNaming('old')}>
              {text.saved.rename}
              <span className="sr-only"> {saved.name}</span>
            </Button>
            <Button size="small" variant="quiet" isDisabled={removing.isBusy} onClick={() => void remove(saved.viewId)}>
              {text.saved.remove}
              <span className="sr-only"> {saved.name}</span>
            </Button>
          </>
        )}
      </span>
      {naming !== null && (
        <SaveViewDialog
          view={naming === 'old' ? saved : null}
          filters={filtersOf(filters)}
          onClose={(sentence) => {
            setNaming(null);
            setSaid(sentence);
            refetch();
          }}
        />
      )}
    </div>
  );
}
