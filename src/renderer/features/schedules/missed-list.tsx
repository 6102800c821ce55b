import { Link } from 'wouter';
import type { MissedRow } from '../../../shared/contract/schedule-views.ts';
import { useAction } from '../../state/use-action.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { stateWords, text } from './strings.ts';
import './schedules.css';

/** Every time that was missed, those that wait for an answer first. */
export function MissedList(props: { readonly missed: readonly MissedRow[]; readonly onAnswered: () => void }) {
  const waiting = props.missed.filter((each) => each.state === 'open').length;
  return (
    <section aria-label={text.missedTitle}>
      <h2 className="sc-head label">
        {text.missedTitle}
        <span className="ink3"> · {waiting === 0 ? text.nothingWaits : text.waitsForYou(waiting)}</span>
      </h2>
      <ul>
        {props.missed.map((each) => (
          <MissedItem
            key={`${each.agentId} ${each.kind} ${each.triggerId} ${each.slot}`}
            missed={each}
            onAnswered={props.onAnswered}
          />
        ))}
      </ul>
    </section>
  );
}

/** One of them, with what can still be done about it. */
export function MissedItem({ missed, onAnswered }: { readonly missed: MissedRow; readonly onAnswered: () => void }) {
  const { agentName, triggerId, run } = missed;
  return (
    <li className={missed.state === 'open' ? 'sc-missed open' : 'sc-missed'}>
      <Icon name="s-missed" />
      <div className="grow">
        <p>
          <b>
            {text.wasDue} <Time atMs={missed.dueAtMs} format="both" />.
          </b>{' '}
          <VisibleText text={missed.sentence} />
        </p>
        <p className="t12 ink3 sc-where">
          <VisibleText text={`${agentName} · ${triggerId}`} />
          {run !== null && (
            <>
              {' · '}
              <Link href={`/runs/${encodeURIComponent(run.runId)}`} aria-label={text.openRun(run.number)}>
                {text.run(run.number)}
              </Link>
            </>
          )}
        </p>
      </div>
      <div className="sc-do">
        {missed.slotCount > 1 && (
          <Badge>
            {text.times(missed.slotCount, missed.isMore)} <Time atMs={missed.firstDueAtMs} />
          </Badge>
        )}
        {run === null ? (
          <span className="t12 ink2">{stateWords[missed.state]}</span>
        ) : (
          <StateMark status={run.status} size="small" />
        )}
        {(missed.state === 'open' || missed.state === 'waiting') && <Answers {...{ missed, onAnswered }} />}
      </div>
    </li>
  );
}

function Answers({ missed, onAnswered }: { readonly missed: MissedRow; readonly onAnswered: () => void }) {
  const running = useAction('schedules.runMissed');
  const skipping = useAction('schedules.skip');
  const { agentId, agentName, kind, triggerId, slot } = missed;
  const about = { agentId, kind, triggerId, slot };
  async function answer(action: typeof running | typeof skipping): Promise<void> {
    const answered = await action.run(about);
    if (answered.ok) onAnswered();
  }
  const problem = running.problem ?? skipping.problem;
  return (
    <>
      <span className="flex">
        {missed.canRun && (
          <Button size="small" icon="play" label={text.runNowLabel(agentName)} onClick={() => void answer(running)}>
            {text.runNow}
          </Button>
        )}
        <Button size="small" variant="quiet" label={text.skipLabel(agentName)} onClick={() => void answer(skipping)}>
          {text.skip}
        </Button>
      </span>
      {problem !== null && (
        <span className="t12 sc-problem" role="alert">
          {text.notDone} <VisibleText text={`${problem.message} ${problem.wayOut}`} />
        </span>
      )}
    </>
  );
}
