import { Link } from 'wouter';
import type { AsleepRight, AsleepRun, AsleepSummary as Summary } from '../../shared/contract/asleep-views.ts';
import { MissedItem } from '../features/schedules/missed-list.tsx';
import { useAction } from '../state/use-action.ts';
import { useQuery } from '../state/use-query.ts';
import { useRefetchEvery } from '../state/use-refetch-every.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { runNumber } from '../ui/run-number.ts';
import { StateMark } from '../ui/state-mark.tsx';
import { duration } from '../ui/time-words.ts';
import { Time } from '../ui/time.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { asleepText as text } from './asleep-strings.ts';
import './asleep.css';

/** A doubt is dispelled without an entry in the record, so that it is looked for, ms. */
const LOOK_EVERY_MS = 1_000;

/** What changed while this device was asleep, until it was seen or is as before. */
export function AsleepSummary({ deviceName }: { readonly deviceName: string }) {
  const query = useQuery('asleep.get', {});
  const summary = query.value?.summary ?? null;
  const isDoubtful = summary?.rights.some((right) => right.state === 'doubtful') ?? false;
  useRefetchEvery(query, isDoubtful ? LOOK_EVERY_MS : null);
  const dismissing = useAction('asleep.dismiss');
  async function dismiss(untilMs: number): Promise<void> {
    await dismissing.run({ untilMs });
    query.refetch();
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('#main')?.focus();
  }
  // Announced when it comes: the place for it is there before.
  return (
    <>
      <output className="sr-only">{summary === null ? '' : text.heard(deviceName)}</output>
      {summary !== null && (
        <section className="asleep" aria-label={text.label}>
          <header className="flex">
            <Icon name="s-wait" />
            <h2>
              <VisibleText text={text.title(deviceName, duration(summary.asleepMs))} />{' '}
              <span className="ink2">
                {text.until} <Time atMs={summary.untilMs} />
              </span>
            </h2>
            <span className="right">
              <Button
                size="small"
                icon="x"
                isDisabled={dismissing.isBusy}
                onClick={() => void dismiss(summary.untilMs)}
              >
                {text.dismiss}
              </Button>
            </span>
          </header>
          <Changes summary={summary} onAnswered={query.refetch} />
        </section>
      )}
    </>
  );
}

function Changes({ summary, onAnswered }: { readonly summary: Summary; readonly onAnswered: () => void }) {
  const { rights, runs, runCount, isMore, missed, answered } = summary;
  return (
    <div className="asleep-body">
      <ul>
        {rights.map((right) => (
          <RightLine key={right.agentId} right={right} />
        ))}
        {answered.map(({ deviceName, count }) => (
          <li key={deviceName}>
            <Link href="/needs">{text.answered(count)}</Link> <VisibleText text={text.on(deviceName)} />
          </li>
        ))}
        {runCount > 0 && (
          <li>
            {text.runs(runCount, isMore)}
            <ul className="asleep-runs">
              {runs.map((run) => (
                <RunLine key={run.runId} run={run} />
              ))}
            </ul>
            {runCount > runs.length && <Link href="/runs">{text.allRuns}</Link>}
          </li>
        )}
      </ul>
      {missed.length > 0 && (
        <ul aria-label={text.missed}>
          {missed.map((each) => (
            <MissedItem
              key={`${each.agentId} ${each.kind} ${each.triggerId} ${each.slot}`}
              missed={each}
              onAnswered={onAnswered}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function RightLine({ right }: { readonly right: AsleepRight }) {
  const { agentName, state, deviceName } = right;
  return (
    <li>
      <Link href="/leases">
        <VisibleText text={agentName} />
      </Link>
      {': '}
      <VisibleText text={state === 'doubtful' ? text.doubtful : text.gone(deviceName)} />
    </li>
  );
}

function RunLine({ run }: { readonly run: AsleepRun }) {
  return (
    <li className="flex">
      <StateMark status={run.status} size="small" />
      <Link href={`/runs/${encodeURIComponent(run.runId)}`}>
        <VisibleText text={`${runNumber(run.number)} ${run.title}`} />
      </Link>
      <span className="ink2">
        <VisibleText text={text.on(run.deviceName)} />
      </span>
    </li>
  );
}
