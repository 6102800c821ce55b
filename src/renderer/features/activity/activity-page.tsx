import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ActivityFacts } from './activity-facts.tsx';
import { ActivityFiltersBar } from './activity-filters.tsx';
import { filterRequest, isFiltered, NO_FILTERS } from './activity-model.ts';
import { readFromNewest, selectEntry, setFilters, useActivity } from './activity-store.ts';
import { ActivityTable } from './activity-table.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { text } from './strings.ts';
import './activity.css';

/** The record as a whole: who did what, where and when. `seq` is the entry whose facts are open; empty for none. */
export function ActivityPage({ seq }: { readonly seq: string }) {
  const grid = useRef<HTMLDivElement>(null);
  const [isExporting, setIsExporting] = useState(false);
  const { open, close, openSeq } = useOpenEntry(seq, () => grid.current?.focus({ preventScroll: true }));
  useFirstRead();
  return (
    <div className="page">
      <header className="top">
        <h1>{text.title}</h1>
        <span className="ink3 cut">{text.lede}</span>
        <span className="right flex">
          <Button icon="export" onClick={() => setIsExporting(true)}>
            {text.export}
          </Button>
        </span>
      </header>
      <ActivityFiltersBar />
      <div className={openSeq === null ? 'body ac' : 'body ac with-facts'}>
        <div className="ac-main">
          <NewEntries onShown={() => grid.current?.focus({ preventScroll: true })} />
          <ActivityBody grid={grid} isOpen={openSeq !== null} onOpen={open} onClose={close} />
        </div>
        {openSeq !== null && <ActivityFacts key={openSeq} seq={openSeq} onClose={close} />}
      </div>
      <HeardCount />
      {isExporting && <ExportDialog onClose={() => setIsExporting(false)} />}
    </div>
  );
}

function ActivityBody(props: Parameters<typeof ActivityTable>[0]) {
  const { rows, problem, before, filters, isLoading } = useActivity();
  if (rows.length > 0) return <ActivityTable {...props} />;
  if (problem !== null)
    return <ErrorState title={text.problem} problem={problem} onRetry={() => void readFromNewest()} />;
  if (before !== null || isLoading) return <p className="ac-end ink3 t12">{text.loading}</p>;
  if (isFiltered(filters)) {
    return (
      <EmptyState
        icon="search"
        title={text.noneTitle}
        action={<Button onClick={() => setFilters(NO_FILTERS)}>{text.showAll}</Button>}
      >
        {text.none}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="activity" title={text.emptyTitle}>
      {text.empty}
    </EmptyState>
  );
}

/** The address says which entry is open, so that a link can. */
function useOpenEntry(seq: string, onClosed: () => void) {
  const [, navigate] = useLocation();
  const openSeq = /^[1-9]\d{0,14}$/u.test(seq) ? Number(seq) : null;
  useEffect(() => {
    if (openSeq !== null) selectEntry(openSeq);
  }, [openSeq]);
  return {
    openSeq,
    open: (next: number) => {
      selectEntry(next);
      // Going through entries is one visit of this screen.
      navigate(`/activity/${next}`, { replace: openSeq !== null });
    },
    close: () => {
      navigate('/activity', { replace: true });
      onClosed();
    },
  };
}

/** Coming back, what was read is still there: it never changes. */
function useFirstRead(): void {
  useEffect(() => {
    if (useActivity.getState().before === undefined) void readFromNewest();
  }, []);
}

/** Quietly says how many entries came since, and shows them when asked to. An empty list shows them by itself. */
function NewEntries({ onShown }: { readonly onShown: () => void }) {
  const isRead = useActivity((state) => state.before !== undefined);
  return isRead ? <News onShown={onShown} /> : null;
}

function News({ onShown }: { readonly onShown: () => void }) {
  const filters = useActivity((state) => state.filters);
  const newestSeq = useActivity((state) => state.newestSeq);
  const isEmpty = useActivity((state) => state.rows.length === 0 && state.before === null);
  const news = useQuery('activity.news', { ...filterRequest(filters), after: newestSeq }).value;
  const hasNews = news !== null && (news.count > 0 || news.isMore);
  useEffect(() => {
    if (isEmpty && hasNews) void readFromNewest();
  }, [isEmpty, hasNews]);
  if (news === null || !hasNews || isEmpty) return null;
  return (
    <div className="ac-new">
      <Chip isOn isPill onClick={() => void readFromNewest().then(onShown)}>
        <Icon name="chevron-up" size="small" />
        {text.newOnes(news.count, news.isMore)}
      </Chip>
    </div>
  );
}

const HEARD_AFTER_MS = 1_500;

/** Tells assistive technology how much is shown, once that has stood still for a moment. */
function HeardCount() {
  const count = useActivity((state) => state.rows.length);
  const [heard, setHeard] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setHeard(text.heard(count)), HEARD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [count]);
  return <output className="sr-only">{heard}</output>;
}
