import { useRef, useState } from 'react';
import type { SavedView } from '../../../shared/contract/saved-views.ts';
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
  isNarrowed,
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
  const tabs = useRef<HTMLElement>(null);
  const { value, refetch } = useQuery('savedViews.list', {});
  const views = value?.views ?? [];
  const saved = savedViewOf(views, filters);
  const builtIn = saved === null ? viewOf(filters.statuses) : '';
  return (
    <div className="tabs">
      <nav className="tablist" aria-label={text.views} ref={tabs}>
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
      <ViewActions
        saved={saved}
        isWorthAName={saved === null && (builtIn === '' || isNarrowed(filters))}
        onChanged={refetch}
        // The button that was pressed is gone with its view.
        onRemoved={() => tabs.current?.querySelector('button')?.focus()}
      />
    </div>
  );
}

/** Saving the filters in use under a name; renaming and removing the saved view in use. */
function ViewActions(props: {
  readonly saved: SavedView | null;
  readonly isWorthAName: boolean;
  readonly onChanged: () => void;
  readonly onRemoved: () => void;
}) {
  const { saved } = props;
  const removing = useAction('savedViews.remove');
  const [naming, setNaming] = useState<'new' | 'old' | null>(null);
  const [said, setSaid] = useState('');
  async function remove(viewId: string): Promise<void> {
    const answer = await removing.run({ viewId });
    setSaid(answer.ok ? answer.value.sentence : `${answer.error.message} ${answer.error.wayOut}`.trim());
    props.onChanged();
    if (answer.ok) props.onRemoved();
  }
  return (
    <span className="right flex">
      <output className="t12 ink3">{said}</output>
      {props.isWorthAName && (
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
      {naming !== null && (
        <SaveViewDialog
          view={naming === 'old' ? saved : null}
          onClose={(sentence) => {
            setNaming(null);
            setSaid(sentence);
            props.onChanged();
          }}
        />
      )}
    </span>
  );
}
