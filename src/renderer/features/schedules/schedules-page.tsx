import { useState } from 'react';
import { Link } from 'wouter';
import type { SchedulesView, TriggerRow } from '../../../shared/contract/schedule-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { MissedList } from './missed-list.tsx';
import { NewScheduleDialog } from './new-schedule-dialog.tsx';
import { SchedulesSide } from './schedules-side.tsx';
import { kindIcons, text } from './strings.ts';
import './schedules.css';

const columns = [
  { label: text.starts },
  { label: text.agent },
  { label: text.next },
  { label: text.last },
  { label: text.now },
];

/** What starts agents by itself: when it does next, how the last run stands, and every time that was missed. */
export function SchedulesPage() {
  const query = useQuery('schedules.list', {});
  const agents = useQuery('agents.list', {}).value?.agents ?? [];
  const [isAdding, setIsAdding] = useState(false);
  const view = query.value;
  return (
    <div className="page">
      <header className="top">
        <h1>{text.title}</h1>
        <span className="ink3">{text.lede}</span>
        {agents.length > 0 && (
          <span className="right flex">
            <Button icon="plus" onClick={() => setIsAdding(true)}>
              {text.newSchedule}
            </Button>
          </span>
        )}
      </header>
      {view === null && query.problem !== null && (
        <ErrorState title={text.problem} problem={query.problem} onRetry={query.refetch} />
      )}
      {view !== null && (
        <Schedules view={view} onAnswered={query.refetch} onAdd={agents.length > 0 ? () => setIsAdding(true) : null} />
      )}
      {isAdding && <NewScheduleDialog agents={agents} onClose={() => setIsAdding(false)} />}
    </div>
  );
}

function Schedules(props: {
  readonly view: SchedulesView;
  readonly onAnswered: () => void;
  /** Adds a schedule; `null` where there is no agent to add it to. */
  readonly onAdd: (() => void) | null;
}) {
  const { view, onAnswered, onAdd } = props;
  const { triggers, missed } = view;
  if (triggers.length === 0 && missed.length === 0) {
    return (
      <EmptyState
        icon="cal"
        title={text.emptyTitle}
        action={
          onAdd === null ? undefined : (
            <Button variant="primary" onClick={onAdd}>
              {text.firstSchedule}
            </Button>
          )
        }
      >
        {text.empty}
      </EmptyState>
    );
  }
  return (
    <div className="body folds">
      <div className="pane grow">
        <div className="scroll">
          {triggers.length > 0 && (
            <Table label={text.title} className="sc-table" columns={columns} rowCount={triggers.length + 1}>
              {triggers.map((trigger, index) => (
                <ScheduleRow key={`${trigger.agentId} ${trigger.kind} ${trigger.triggerId}`} {...{ trigger, index }} />
              ))}
            </Table>
          )}
          {missed.length > 0 && <MissedList missed={missed} onAnswered={onAnswered} />}
        </div>
      </div>
      <SchedulesSide view={view} />
    </div>
  );
}

function ScheduleRow({ trigger, index }: { readonly trigger: TriggerRow; readonly index: number }) {
  const { agentId, agentName, lastRun, nextAtMs } = trigger;
  return (
    <Row index={index + 2}>
      <Cell className="sc-words">
        <Icon name={kindIcons[trigger.kind]} size="small" />
        <span>
          <span className="medium">
            <VisibleText text={trigger.words} />
          </span>
          <span className="t12 ink3 sc-policy">
            <VisibleText text={[trigger.triggerId, trigger.policy].filter((part) => part !== '').join(' · ')} />
          </span>
          {trigger.note !== '' && (
            <span className="t12 ink2 sc-policy">
              <VisibleText text={trigger.note} />
            </span>
          )}
        </span>
      </Cell>
      <Cell className="cut">
        <Link href={`/agents/${encodeURIComponent(agentId)}`} aria-label={text.openAgent(visibleText(agentName))}>
          <VisibleText text={agentName} />
        </Link>
      </Cell>
      <Cell className="nw">
        {nextAtMs === null ? (
          <span className="ink3">{trigger.kind !== 'schedule' && trigger.isOn ? text.onEvent : text.noNext}</span>
        ) : (
          <Time atMs={nextAtMs} format="both" />
        )}
      </Cell>
      <Cell className="cut">
        {lastRun === null ? (
          <span className="ink3">{text.notYet}</span>
        ) : (
          <Link href={`/runs/${encodeURIComponent(lastRun.runId)}`} className="sc-run">
            <StateMark status={lastRun.status} size="small" />
            <span className="sr-only">{text.run(lastRun.number)}</span>
            <span className="t12 ink3">
              <Time atMs={lastRun.startedAtMs} />
            </span>
          </Link>
        )}
      </Cell>
      <Cell className="ink2">{trigger.isOn ? text.on : text.off}</Cell>
    </Row>
  );
}
