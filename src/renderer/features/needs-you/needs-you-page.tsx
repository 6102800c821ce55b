import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation, useRoute } from 'wouter';
import type { NeedsYouView } from '../../../shared/contract/decision-views.ts';
import { useQuery } from '../../state/use-query.ts';
import { practiceAgent } from '../../state/practice-agent.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { duration } from '../../ui/time-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { ApprovalPanel } from './approval/approval-panel.tsx';
import { BatchDialog } from './batch/batch-dialog.tsx';
import { DoubtBatchDialog } from './batch/doubt-batch-dialog.tsx';
import { filteredQueue, isFiltered, NO_FILTER, standingFilter } from './queue-filter.ts';
import { NoneFits, QueueFilters } from './queue-filters.tsx';
import { QueueList, SettledList } from './queue-list.tsx';
import {
  idFromPath,
  isSameItem,
  oldestSinceMs,
  queueOrder,
  rowOrder,
  rowElementId,
  type OpenItem,
  type QueueBatch,
} from './queue-rows.ts';
import { RecoveryPanel } from './recovery/recovery-panel.tsx';
import { text } from './strings.ts';
import { useQueueKeys } from './use-queue-keys.ts';
import './needs-you.css';

/** The queue of what needs a person, beside the item that is open. */
export function NeedsYouPage() {
  const { value: view, problem, refetch } = useQuery('needs.list', {});
  const { value: overview } = useQuery('overview.get', {});
  const open = useOpenItem();
  const nowMs = useNow(10_000);
  const close = useBackToQueue(open);
  const [chosen, setChosen] = useState(NO_FILTER);
  const filter = useMemo(() => (view === null ? NO_FILTER : standingFilter(view, chosen)), [view, chosen]);
  const queue = useMemo(() => (view === null ? null : filteredQueue(view, filter)), [view, filter]);
  const rows = useMemo(() => (queue === null ? [] : rowOrder(queue)), [queue]);
  useQueueKeys(rows, open, close);
  // As it was when it was opened: nothing slips into what a person is reading. It outlasts the queue, to tell what came of it.
  const [batch, setBatch] = useState<QueueBatch | null>(null);
  function showAll(): void {
    const [first] = view === null ? [] : rowOrder(view);
    flushSync(() => setChosen(NO_FILTER));
    // The button is gone from under the focus.
    if (first !== undefined) document.querySelector<HTMLElement>(`#${CSS.escape(rowElementId(first))}`)?.focus();
  }
  const isEmpty = rows.length === 0 && open === null && !isFiltered(filter);
  return (
    <div className="page">
      <QueueTop view={view} queue={queue} nowMs={nowMs} hasOpen={open !== null}>
        {view !== null && <QueueFilters view={view} filter={filter} onChange={setChosen} />}
      </QueueTop>
      {view === null && problem !== null && (
        <div className="nq-wait">
          <ErrorState title={text.listFailed} problem={problem} onRetry={refetch} />
        </div>
      )}
      {view !== null && isEmpty && <NothingNeedsYou view={view} nowMs={nowMs} />}
      {queue !== null && !isEmpty && (
        <div className={bodyClasses(open)}>
          <QueueList view={queue} open={open} nowMs={nowMs} onOpenBatch={setBatch}>
            {rows.length === 0 && isFiltered(filter) && <NoneFits onShowAll={showAll} />}
          </QueueList>
          <OpenPanel open={open} deviceName={overview?.device.name ?? ''} onClose={close} />
        </div>
      )}
      {batch?.kind === 'approve' && <BatchDialog batch={batch} onClose={() => setBatch(null)} />}
      {batch?.kind === 'unclear' && <DoubtBatchDialog batch={batch} onClose={() => setBatch(null)} />}
    </div>
  );
}

function bodyClasses(open: OpenItem | null): string {
  if (open === null) return 'nq-body';
  return open.kind === 'approve' ? 'nq-body open approving' : 'nq-body open';
}

function OpenPanel(props: {
  readonly open: OpenItem | null;
  readonly deviceName: string;
  readonly onClose: () => void;
}) {
  const { open } = props;
  if (open === null) {
    return (
      <div className="nq-rest">
        <Icon name="needs" />
        <b>{text.pickHeading}</b>
        <p>{text.pick}</p>
      </div>
    );
  }
  // The key makes each item begin anew: no answer chosen for one can be left standing for the next.
  return open.kind === 'unclear' ? (
    <RecoveryPanel key={open.id} attemptToken={open.id} deviceName={props.deviceName} onClose={props.onClose} />
  ) : (
    <ApprovalPanel key={open.id} approvalId={open.id} onClose={props.onClose} />
  );
}

function QueueTop(props: {
  readonly view: NeedsYouView | null;
  /** What of it is shown. */
  readonly queue: NeedsYouView | null;
  readonly nowMs: number;
  readonly hasOpen: boolean;
  readonly children: ReactNode;
}) {
  const { view, queue } = props;
  const shown = queue === null ? 0 : queueOrder(queue).length;
  return (
    <header className="top">
      <h1>{text.heading}</h1>
      {view !== null && queue !== null && <Count view={view} shown={shown} nowMs={props.nowMs} />}
      <span className="right flex">
        <span className="nq-keys">
          {shown > 0 && (
            <>
              <kbd>j</kbd>
              <kbd>k</kbd>
              {text.nextItem}
              <span className="sep">·</span>
              <kbd>{props.hasOpen ? 'Esc' : 'Enter'}</kbd>
              {props.hasOpen ? text.back : text.open}
            </>
          )}
        </span>
        {props.children}
      </span>
    </header>
  );
}

/** How many there are and since when; what a filter hides is counted too. */
function Count({
  view,
  shown,
  nowMs,
}: {
  readonly view: NeedsYouView;
  readonly shown: number;
  readonly nowMs: number;
}) {
  const count = queueOrder(view).length;
  const since = oldestSinceMs(view);
  if (since === null) return null;
  const oldest = duration(nowMs - since);
  const all = count === 1 ? text.oneItem(oldest) : text.items(count, oldest);
  return <span className="ink3 cut">{shown < count ? text.someItems(shown, count) : all}</span>;
}

/** Where nothing has run yet, the next thing to do is the practice run: the first question is then no surprise. */
function NothingNeedsYou({ view, nowMs }: { readonly view: NeedsYouView; readonly nowMs: number }) {
  const practice = practiceAgent(useQuery('agents.list', {}).value?.agents ?? []);
  const finished = view.finishedSinceYesterday;
  const isFirst = finished === 0 && practice?.lastRunAtMs === null;
  return (
    <div className="nq-empty">
      <EmptyState
        icon="s-done"
        title={finished === 0 ? text.nothing : `${text.nothing} ${text.finished(finished)}`}
        action={
          isFirst ? (
            <Link className="btn primary" href={`/agents/${encodeURIComponent(practice.agentId)}`}>
              {text.practise}
            </Link>
          ) : (
            <Link href="/runs">{text.seeRuns}</Link>
          )
        }
      >
        <p>{text.nothingWhy}</p>
      </EmptyState>
      <SettledList items={view.settled} nowMs={nowMs} />
    </div>
  );
}

function useOpenItem(): OpenItem | null {
  const [isUnclear, unclear] = useRoute('/needs/unclear/:id');
  const [isApprove, approve] = useRoute('/needs/approve/:id');
  const part = isUnclear ? unclear.id : isApprove ? approve.id : null;
  const id = part === null ? null : idFromPath(part);
  const kind = isUnclear ? 'unclear' : 'approve';
  return useMemo(() => (id === null ? null : { kind, id }), [id, kind]);
}

/** Back to the queue with the focus on the row that was open: decides nothing. */
function useBackToQueue(open: OpenItem | null): () => void {
  const [, navigate] = useLocation();
  const last = useRef(open);
  useEffect(() => {
    const before = last.current;
    last.current = open;
    if (before !== null && open === null && !isSameItem(before, open)) {
      document.querySelector<HTMLElement>(`#${CSS.escape(rowElementId(before))}`)?.focus();
    }
  }, [open]);
  return useCallback(() => navigate('/needs'), [navigate]);
}
