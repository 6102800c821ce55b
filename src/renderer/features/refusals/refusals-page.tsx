import { useEffect, useRef, useState } from 'react';
import type { ComponentType } from 'react';
import type { RefusalGroup } from '../../../shared/contract/views.ts';
import { useQuery } from '../../state/use-query.ts';
import { ChooseOneChip } from '../../ui/choose-one-chip.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note } from '../../ui/note.tsx';
import { useNow } from '../../ui/use-now.ts';
import { agentLinkId, RefusalCard } from './refusal-card.tsx';
import { byDay, byReason, totals } from './refusal-groups.ts';
import { text } from './strings.ts';
import './refusals.css';

/** Each time a device held back: good news, quietly told. */
export function RefusalsPage(props: {
  /** The dialog about the permission of an agent, which is another feature. */
  readonly review: ComponentType<{ readonly agentId: string; readonly onClose: () => void }>;
}) {
  const { review: Review } = props;
  const query = useQuery('refusals.list', {});
  const [agentName, setAgentName] = useState<string | null>(null);
  const [reviewed, setReviewed] = useState<RefusalGroup | null>(null);
  useFocusOnRow(reviewed);
  const all = query.value?.groups ?? [];
  const agents = [...new Set(all.map((group) => group.agentName))].toSorted();
  const groups = agentName === null ? all : all.filter((group) => group.agentName === agentName);
  return (
    <div className="page">
      <header className="top">
        <h1>{text.title}</h1>
        <span className="ink3">{text.lede}</span>
        <span className="right flex">
          {agents.length > 1 && (
            <ChooseOneChip
              isFirst
              label={text.agent}
              any={text.anyAgent}
              names={agents}
              value={agentName}
              onChange={setAgentName}
            />
          )}
        </span>
      </header>
      {query.value === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {query.value !== null && all.length === 0 && (
        <EmptyState icon="shield" title={text.emptyTitle}>
          {text.empty}
        </EmptyState>
      )}
      {all.length > 0 && (
        <div className="body folds">
          <RefusalList groups={groups} onReview={setReviewed} />
          <Summary groups={groups} />
        </div>
      )}
      {reviewed !== null && <Review agentId={reviewed.agentId} onClose={() => setReviewed(null)} />}
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

function RefusalList(props: {
  readonly groups: readonly RefusalGroup[];
  readonly onReview: (group: RefusalGroup) => void;
}) {
  const nowMs = useNow(60_000);
  return (
    <div className="pane grow">
      <div className="scroll">
        {byDay(props.groups, nowMs).map((day) => (
          <section key={day.name} aria-label={day.name}>
            <h2 className="rf-day label">{day.name}</h2>
            <ul>
              {day.groups.map((group) => (
                <RefusalCard key={group.key} group={group} onReview={() => props.onReview(group)} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}

function Summary({ groups }: { readonly groups: readonly RefusalGroup[] }) {
  const { all, quiet } = totals(groups);
  const reasons = byReason(groups);
  const most = reasons[0]?.count ?? 1;
  return (
    <aside className="side pad rf-side" aria-label={text.summary}>
      <p className="t20 strong">{text.heldBack(all)}</p>
      <p className="ink2">{text.neededNothing(quiet, all)}</p>
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
