import { useDeferredValue, useMemo } from 'react';
import { useQuery } from '../../state/use-query.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { lineChanges } from './line-changes.ts';
import type { ChangedLine, LineChanges } from './line-changes.ts';
import { text } from './strings.ts';

/** What is different in a source from the version that was permitted last. Hidden characters are written out. */
export function SourceChanges(props: {
  readonly agentId: string;
  readonly source: string;
  /** Of the saved version. */
  readonly revisionDigest: string;
  readonly isSaved: boolean;
}) {
  const { value, problem, refetch } = useQuery('agents.permitted', { agentId: props.agentId });
  const source = useDeferredValue(props.source);
  const permitted = value?.permitted ?? null;
  const changes = useMemo(
    () => (permitted === null ? null : lineChanges(permitted.source, source)),
    [permitted, source],
  );
  if (value === null)
    return problem === null ? null : <ErrorState title={text.changesFailed} problem={problem} onRetry={refetch} />;
  if (permitted === null || changes === null) return <p className="ag-quiet">{text.neverPermitted}</p>;
  return (
    <div className="ag-changes">
      <p className="flex wrap t12 ink2">
        <span>{summaryOf(changes)}</span>
        <span className="right ink3">
          {permitted.isInForce ? text.permittedVersion : text.lastPermittedVersion}{' '}
          <code className="mono">{permitted.revisionDigest.slice(0, 12)}</code>,{' '}
          {props.isSaved ? (
            <>
              {text.thisVersion} <code className="mono">{props.revisionDigest.slice(0, 12)}</code>
            </>
          ) : (
            text.notSaved
          )}
        </span>
      </p>
      {changes.hunks.length > 0 && <Hunks changes={changes} />}
    </div>
  );
}

function summaryOf({ added, removed }: LineChanges): string {
  return added + removed === 0 ? text.sameAsPermitted : text.changed(added, removed);
}

function Hunks({ changes }: { readonly changes: LineChanges }) {
  return (
    // It scrolls, so it must be reachable without a mouse.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="ag-diff" tabIndex={0} aria-label={text.changesName}>
      {changes.hunks.map((hunk) => (
        <ul key={`${hunk.lines[0]?.before ?? 0} ${hunk.lines[0]?.after ?? 0}`} className="ag-hunk">
          {hunk.lines.map((line) => (
            <Line key={`${line.before ?? ''} ${line.after ?? ''}`} line={line} />
          ))}
        </ul>
      ))}
    </section>
  );
}

const SIGNS: Readonly<Record<ChangedLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };

function Line({ line }: { readonly line: ChangedLine }) {
  return (
    <li className={line.kind}>
      <span className="n" aria-hidden="true">
        {line.before ?? ''}
      </span>
      <span className="n" aria-hidden="true">
        {line.after ?? ''}
      </span>
      <span aria-hidden="true">{SIGNS[line.kind]}</span>
      <span className="t">
        {line.kind !== 'same' && <span className="sr-only">{line.kind === 'added' ? text.added : text.removed} </span>}
        <VisibleText text={line.text} />
      </span>
    </li>
  );
}
