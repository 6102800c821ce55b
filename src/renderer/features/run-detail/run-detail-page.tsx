import { Fragment } from 'react';
import { Link, useLocation } from 'wouter';
import type { RunDetailView } from '../../../shared/contract/views.ts';
import { useFreshness } from '../../state/use-connection.ts';
import { useQuery } from '../../state/use-query.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { Evidence } from './evidence.tsx';
import { RunGraph } from './run-graph.tsx';
import { RunActions } from './run-actions.tsx';
import { RunHeader } from './run-header.tsx';
import { Steps } from './steps.tsx';
import { text } from './strings.ts';
import { Timeline } from './timeline.tsx';
import { WhyList } from './why-list.tsx';
import { WhyPanel } from './why-panel.tsx';
import './run-detail.css';

const tabNames = ['timeline', 'graph', 'steps', 'evidence', 'why'] as const;
type TabName = (typeof tabNames)[number];

/** One run: what happened, with what, why, and the record itself. `seq` links to one row. */
export function RunDetailPage(props: { readonly runId: string; readonly tab: string; readonly seq: string }) {
  const query = useQuery('runs.get', { runId: props.runId });
  if (query.value === null) {
    return (
      <div className="page">
        <header className="top">
          <Link href="/runs" className="crumb">
            {text.runs}
          </Link>
        </header>
        {query.problem !== null && <ErrorState title={text.gone} problem={query.problem} onRetry={query.refetch} />}
      </div>
    );
  }
  return (
    <RunDetail
      view={query.value}
      tab={tabNames.find((name) => name === props.tab) ?? 'timeline'}
      seq={Number(props.seq)}
    />
  );
}

function RunDetail({ view, tab, seq }: { readonly view: RunDetailView; readonly tab: TabName; readonly seq: number }) {
  const [, navigate] = useLocation();
  const go = (nextTab: string, nextSeq?: number) =>
    navigate(`/runs/${encodeURIComponent(view.row.runId)}/${nextTab}${nextSeq === undefined ? '' : `/${nextSeq}`}`, {
      replace: true,
    });
  const why = tab === 'timeline' ? (view.why.find((each) => each.seq === seq) ?? null) : null;
  const isCurrent = useFreshness() === 'current';
  const isLive = view.row.endedAtMs === null && isCurrent;
  const parent = view.within.at(-1);
  const back = parent === undefined ? '/runs' : `/runs/${encodeURIComponent(parent.runId)}/graph`;
  useShortcuts({ back: () => (why === null ? navigate(back) : go('timeline')) });
  return (
    <div className="page">
      <header className="top">
        <Crumbs view={view} />
        <RunActions view={view} />
      </header>
      <div className="body folds">
        <div className="pane grow">
          <RunHeader view={view} />
          <Tabs
            label={text.tabs}
            value={tab}
            onChange={(next) => go(next)}
            end={isLive ? <StateMark status="running-here" word={text.live} /> : undefined}
            items={[
              {
                id: 'timeline',
                label: text.timeline,
                panel: <Timeline view={view} seq={seq} onOpen={(next) => go('timeline', next)} />,
              },
              { id: 'graph', label: text.graph, panel: <RunGraph view={view} /> },
              {
                id: 'steps',
                label: text.steps,
                count: text.stepsDone(view.row.stepsDone, view.row.stepsTotal),
                panel: <Steps steps={view.steps} earlier={view.earlier.steps} />,
              },
              {
                id: 'evidence',
                label: text.evidence,
                count: (view.evidence.length + view.earlier.evidence).toLocaleString('en'),
                panel: (
                  <Evidence
                    rows={view.evidence}
                    earlier={view.earlier.evidence}
                    seq={seq}
                    onOpen={(next) => go('evidence', next)}
                  />
                ),
              },
              {
                id: 'why',
                label: text.why,
                count: (view.why.length + view.earlier.why).toLocaleString('en'),
                panel: <WhyList why={view.why} seq={seq} earlier={view.earlier.why} />,
              },
            ]}
          />
        </div>
        {why !== null && (
          <aside className="side pad" aria-label={text.why}>
            <WhyPanel why={why} onClose={() => go('timeline')} />
          </aside>
        )}
      </div>
    </div>
  );
}

/** Where this run lies: its agent and, for a branch, the runs that it is inside of. */
function Crumbs({ view }: { readonly view: RunDetailView }) {
  return (
    <nav className="flex grow" aria-label={text.path}>
      <Link href="/runs" className="crumb">
        {text.runs}
      </Link>
      <Icon name="cr" size="small" className="ink3" />
      <Link href={`/agents/${encodeURIComponent(view.row.agentId)}`} className="crumb cut">
        <VisibleText text={view.row.agentName} />
      </Link>
      <Icon name="cr" size="small" className="ink3" />
      {view.within.map((outer) => (
        <Fragment key={outer.runId}>
          <Link href={`/runs/${encodeURIComponent(outer.runId)}/graph`} className="crumb nw">
            {text.run(outer.number)}
          </Link>
          <Icon name="cr" size="small" className="ink3" />
        </Fragment>
      ))}
      <span className="medium cut" aria-current="page">
        {view.branch === null ? text.run(view.row.number) : <VisibleText text={view.branch} />}
      </span>
    </nav>
  );
}
