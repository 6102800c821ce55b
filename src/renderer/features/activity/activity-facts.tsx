import { Link } from 'wouter';
import type { ActivityEntryView } from '../../../shared/contract/activity-views.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { fullTime } from '../../ui/time-words.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** One entry: what it says, who wrote it where and when, and the entry itself. */
export function ActivityFacts({ seq, onClose }: { readonly seq: number; readonly onClose: () => void }) {
  const query = useQuery('activity.get', { seq });
  return (
    <aside className="side ac-facts" aria-label={text.facts}>
      <header className="flex">
        <h2 className="t15 strong">{text.entry(seq)}</h2>
        <span className="right">
          <Button variant="quiet" size="small" icon="x" label={text.closeFacts} onClick={onClose} />
        </span>
      </header>
      {query.value === null && query.problem !== null && (
        <ErrorState title={text.notThere} problem={query.problem} onRetry={query.refetch} />
      )}
      {query.value === null && query.problem === null && <p className="ink3 t12">{text.loading}</p>}
      {query.value !== null && <Entry view={query.value} />}
    </aside>
  );
}

function Entry({ view }: { readonly view: ActivityEntryView }) {
  const { row, event } = view;
  const json = JSON.stringify(event, null, 2);
  return (
    <>
      <p>
        <VisibleText text={row.sentence} />
        {row.measure !== '' && (
          <span className="ink3">
            {' · '}
            <VisibleText text={row.measure} />
          </span>
        )}
      </p>
      {row.runId !== null && row.runNumber !== null && (
        <Link className="btn small" href={`/runs/${encodeURIComponent(row.runId)}/evidence/${row.seq}`}>
          {text.openRun(row.runNumber)}
        </Link>
      )}
      <dl className="facts t12">
        <Fact name={text.fact.when} value={fullTime(row.atMs)} />
        <Fact name={text.fact.who} value={row.actor.name} />
        {row.agentName !== '' && <Fact name={text.fact.agent} value={row.agentName} />}
        {view.runTitle !== '' && <Fact name={text.fact.run} value={view.runTitle} />}
        <Fact name={text.fact.device} value={row.deviceName} />
        <Fact name={text.fact.place} value={text.place(event.journalSeq, row.deviceName)} />
        <Fact name={text.fact.kind} value={row.kind} isCode />
        <Fact name={text.fact.id} value={event.opId} isCode />
      </dl>
      <div className="flex">
        <p className="t11 ink3">{text.asWritten}</p>
        <span className="right">
          <CopyButton label={text.copyJson} content={json} />
        </span>
      </div>
      {/* It scrolls, so it must be reachable without a mouse. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="code scroll" tabIndex={0} aria-label={text.json}>
        <VisibleText text={json} />
      </pre>
    </>
  );
}

function Fact(props: { readonly name: string; readonly value: string; readonly isCode?: boolean }) {
  return (
    <div className="contents">
      <dt>{props.name}</dt>
      <dd className={props.isCode === true ? 'mono' : undefined}>
        <VisibleText text={props.value} />
      </dd>
    </div>
  );
}
