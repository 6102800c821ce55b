import { useEffect, useRef, useState } from 'react';
import type { ComponentType } from 'react';
import type { RefusalGroup, RefusalsView } from '../../../shared/contract/refusal-views.ts';
import { useKeptAnswer } from '../../state/use-kept-answer.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note } from '../../ui/note.tsx';
import { useNow } from '../../ui/use-now.ts';
import { agentLinkId, RefusalCard } from './refusal-card.tsx';
import { NO_FILTERS, refusalsRequest, setFilters, useRefusalFilters } from './refusal-filters.ts';
import { byDay, byReason, needing } from './refusal-groups.ts';
import { RefusalsFilters } from './refusals-filters.tsx';
import { text } from './strings.ts';
import './refusals.css';

/** Each time a device held back: good news, quietly told. */
export function RefusalsPage(props: {
  /** The dialog about the permission of an agent, which is another feature. */
  readonly review: ComponentType<{ readonly agentId: string; readonly onClose: () => void }>;
}) {
  const { review: Review } = props;
  const filters = useRefusalFilters();
  // Days begin anew at midnight.
  const query = useQuery('refusals.list', refusalsRequest(filters, useNow(60_000)));
  const view = useKeptAnswer(query.value);
  const heading = useRef<HTMLHeadingElement>(null);
  const [reviewed, setReviewed] = useState<RefusalGroup | null>(null);
  useFocusOnRow(reviewed);
  const showAll = () => {
    setFilters(NO_FILTERS);
    // The button goes from under the focus.
    heading.current?.focus();
  };
  return (
    <div className="page">
      <header className="top">
        <h1 ref={heading} tabIndex={-1}>
          {text.title}
        </h1>
        <span className="ink3 cut">{text.lede}</span>
        <span className="right flex wrap">
          {view !== null && view.total > 0 && <RefusalsFilters view={view} onShowAll={showAll} />}
        </span>
      </header>
      {query.value === null && query.problem !== null ? (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      ) : (
        view !== null && <RefusalsBody view={view} onReview={setReviewed} onShowAll={showAll} />
      )}
      {reviewed !== null && <Review agentId={reviewed.agentId} onClose={() => setReviewed(null)} />}
    </div>
  );
}

function RefusalsBody(props: {
  readonly view: RefusalsView;
  readonly onReview: (group: RefusalGroup) => void;
  readonly onShowAll: () => void;
}) {
  const { view } = props;
  if (view.total === 0) {
    return (
      <EmptyState icon="shield" title={text.emptyTitle}>
        {text.empty}
      </EmptyState>
    );
  }
  if (view.heldBack === 0) {
    return (
      <EmptyState
        icon="search"
        title={text.noneTitle}
        action={<Button onClick={props.onShowAll}>{text.showAll}</Button>}
      >
        {text.none}
      </EmptyState>
    );
  }
  return (
    <div className="body folds">
      <RefusalList view={view} onReview={props.onReview} />
      <Summary view={view} />
    </div>
  );
}

/** What was asked for is given, and its button is gone from under the focus: the row has it again. */
function useFocusOnRow(reviewed: RefusalGroup | null): void {
  const last = useRef(reviewed);
  useEffect(() => {
    const before = last.current;
    last.current = reviewed;
    if (before === null || reviewed !== null) return undefined;
    // The dialog gives the focus back after it was closed.
    const frame = requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      document.querySelector<HTMLElement>(`#${CSS.escape(agentLinkId(before.key))}`)?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [reviewed]);
}

function RefusalList(props: { readonly view: RefusalsView; readonly onReview: (group: RefusalGroup) => void }) {
  const { groups, isCut } = props.view;
  const nowMs = useNow(60_000);
  return (
    <div className="pane grow">
      <div className="scroll">
        {byDay(groups, nowMs).map((day) => (
          <section key={day.name} aria-label={day.name}>
            <h2 className="rf-day label">{day.name}</h2>
            <ul>
              {day.groups.map((group) => (
                <RefusalCard key={group.key} group={group} onReview={() => props.onReview(group)} />
              ))}
            </ul>
          </section>
        ))}
        {isCut && <p className="rf-cut t12 ink2">{text.cut(groups.length)}</p>}
      </div>
    </div>
  );
}

function Summary({ view }: { readonly view: RefusalsView }) {
  const { heldBack, isCut, groups } = view;
  const reasons = byReason(view.reasons);
  const most = reasons[0]?.count ?? 1;
  return (
    <aside className="side pad rf-side" aria-label={text.summary}>
      <p className="t20 strong">{text.heldBack(heldBack)}</p>
      {/* Whether an older one needs somebody is not known here. */}
      {!isCut && <p className="ink2">{text.neededNothing(heldBack - needing(groups), heldBack)}</p>}
      <h2 className="label rf-why">{text.why}</h2>
      <ul className="rf-reasons">
        {reasons.map((reason) => (
          <li key={reason.words}>
            <span className="cut">{reason.words}</span>
            <span className="num">{reason.count.toLocaleString('en')}</span>
            <span className="bar" aria-hidden="true">
              <i style={{ width: `${(reason.count / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
      <Note tone="safe" icon="shield" title={text.works}>
        {text.worksMore}
      </Note>
      <p className="t12 ink3 rf-kept">{text.kept}</p>
    </aside>
  );
}
