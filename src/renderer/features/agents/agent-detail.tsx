import { useState } from 'react';
import { Link } from 'wouter';
import type { AgentDetailView } from '../../../shared/contract/views.ts';
import { useQuery } from '../../state/use-query.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { KeyChip } from '../../ui/key-chip.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { clockTime, countdown } from '../../ui/time-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { AgentControl } from './agent-control.tsx';
import { AgentGraph } from './agent-graph.tsx';
import { AgentPermission } from './agent-permission.tsx';
import { AgentSource } from './agent-source.tsx';
import { RunNowDialog } from './run-now-dialog.tsx';
import { text } from './strings.ts';

/** One agent: how it works, what it may do, what it did. */
export function AgentDetail({ agentId }: { readonly agentId: string }) {
  const { value: view, problem, refetch } = useQuery('agents.get', { agentId });
  const [isEditing, setIsEditing] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const nowMs = useNow(10_000);
  if (view === null) {
    return (
      <div className="ag-detail" aria-busy={problem === null}>
        {problem !== null && (
          <div className="ag-head">
            <ErrorState title={text.detailFailed} problem={problem} onRetry={refetch} />
          </div>
        )}
      </div>
    );
  }
  return (
    <article className="ag-detail" aria-labelledby="agent-heading">
      <DetailHead
        view={view}
        isEditing={isEditing}
        onEdit={() => setIsEditing(!isEditing)}
        onRun={() => setIsAsking(true)}
        when={(ms) => clockTime(ms, { nowMs })}
      />
      {isEditing ? (
        <AgentSource key={view.revisionDigest} view={view} onSaved={() => setIsEditing(false)} />
      ) : (
        <>
          <AgentGraph view={view} />
          <div className="ag-two">
            <RecentRuns runs={view.runs} nowMs={nowMs} />
            <AgentPermission view={view} when={(ms) => clockTime(ms, { nowMs })} />
          </div>
        </>
      )}
      {isAsking && <RunNowDialog view={view} onClose={() => setIsAsking(false)} />}
    </article>
  );
}

function DetailHead(props: {
  readonly view: AgentDetailView;
  readonly isEditing: boolean;
  readonly onEdit: () => void;
  readonly onRun: () => void;
  readonly when: (ms: number) => string;
}) {
  const { agent, grant, lease } = props.view;
  const mayRun = grant !== null && grant.isInForce;
  return (
    <header className="ag-head">
      <div className="flex">
        <h2 id="agent-heading">
          <VisibleText text={agent.name} />
        </h2>
        {agent.isSample && <Badge>{text.sample}</Badge>}
        <span className="right flex">
          {lease !== null && (
            <KeyChip
              left={lease.state === 'held' ? text.left(countdown(lease.remainingMs)) : ''}
              isDoubtful={lease.state === 'doubtful'}
            >
              <VisibleText text={lease.sentence} />
            </KeyChip>
          )}
        </span>
      </div>
      <div className="ag-line">
        <p className="ink2 grow">
          <VisibleText text={agent.description} />
        </p>
        <Button size="small" icon="pen" isExpanded={props.isEditing} onClick={props.onEdit}>
          {props.isEditing ? text.backToAgent : text.edit}
        </Button>
        <Button size="small" icon="play" disabledReason={mayRun ? '' : text.runNowWhy} onClick={props.onRun}>
          {text.runNow}
        </Button>
        <AgentControl view={props.view} when={props.when} />
      </div>
    </header>
  );
}

function RecentRuns({ runs, nowMs }: { readonly runs: AgentDetailView['runs']; readonly nowMs: number }) {
  return (
    <section className="ag-main" aria-labelledby="ag-recent">
      <header>
        <h3 id="ag-recent">{text.recentRuns}</h3>
      </header>
      {runs.length === 0 ? (
        <p className="ag-quiet">{text.noRuns}</p>
      ) : (
        <ul className="tbl ag-runs" aria-labelledby="ag-recent">
          {runs.map((run) => (
            <li key={run.runId} className="ag-run">
              <Link href={`/runs/${encodeURIComponent(run.runId)}`} className="tr">
                <span className="ink3">{String(run.number).padStart(4, '0')}</span>
                <StateMark status={run.status} deviceName={run.deviceName} />
                <span className="cut ink2">
                  <VisibleText text={run.lastEvent} />
                </span>
                <span className="ink3 nw ag-when">{clockTime(run.startedAtMs, { nowMs })}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
