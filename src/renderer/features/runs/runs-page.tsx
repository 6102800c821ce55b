import { useDeferredValue, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { ChosenBar } from './chosen-bar.tsx';
import { isNarrowed, NO_FILTERS, pageRequest, setFilters, useRunsList } from './run-filters.ts';
import { RunTable } from './run-table.tsx';
import { RunsBand } from './runs-band.tsx';
import { RunsFound } from './runs-found.tsx';
import { RunsFilters } from './runs-filters.tsx';
import { RunsSearch } from './runs-search.tsx';
import { RunsTabs } from './runs-tabs.tsx';
import { count, text } from './strings.ts';
import './runs.css';

/** Every run: what needs a person on top, then the newest. */
export function RunsPage() {
  const filters = useDeferredValue(useRunsList((state) => state.filters));
  const firstPage = useQuery('runs.list', pageRequest(filters, 0));
  const [, navigate] = useLocation();
  const view = firstPage.value;
  const isFiltered = filters.statuses.length > 0 || isNarrowed(filters);
  return (
    <div className="page">
      <header className="top">
        <h1>{text.title}</h1>
        <span className="ink3 num">{view === null ? '' : count(view.total)}</span>
        <RunsSearch />
        <span className="right flex">
          <Button icon="play" onClick={() => navigate('/agents')}>
            {text.runAgent}
          </Button>
        </span>
      </header>
      {view === null && firstPage.problem !== null && (
        <ErrorState title={text.problem} problem={firstPage.problem} onRetry={firstPage.refetch} />
      )}
      {view !== null && view.total === 0 && (
        <EmptyState
          icon="runs"
          title={text.emptyTitle}
          action={
            <Button variant="primary" onClick={() => navigate('/agents')}>
              {text.chooseAgent}
            </Button>
          }
        >
          {text.empty}
        </EmptyState>
      )}
      {(view === null || view.total > 0) && firstPage.problem === null && (
        <>
          <RunsBand counts={view?.counts ?? {}} />
          <RunsTabs counts={view?.counts ?? {}} />
          <RunsFilters view={view} isFiltered={isFiltered} />
          {filters.search !== '' && <RunsFound />}
          {view !== null && view.shown === 0 ? (
            <EmptyState
              title={text.noneTitle}
              icon="search"
              action={<Button onClick={() => setFilters(NO_FILTERS)}>{text.showAll}</Button>}
            >
              {text.none}
            </EmptyState>
          ) : (
            <RunTable filters={filters} total={view?.shown ?? 0} />
          )}
          <ChosenBar filters={filters} matching={view?.shown ?? 0} />
          {view !== null && (
            <HeardCounts
              words={text.heard(
                view.shown,
                (view.counts['needs-recovery'] ?? 0) + (view.counts['needs-approval'] ?? 0),
              )}
            />
          )}
        </>
      )}
    </div>
  );
}

const HEARD_AFTER_MS = 1_500;

/** Tells assistive technology the counts, once they have stood still for a moment. */
function HeardCounts({ words }: { readonly words: string }) {
  const [heard, setHeard] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setHeard(words), HEARD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return <output className="sr-only">{heard}</output>;
}
