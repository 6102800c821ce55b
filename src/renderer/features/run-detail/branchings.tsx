// Roles instead of table elements: rows that are off the screen are not laid out, which table elements can’t be.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import { useState } from 'react';
import { Link } from 'wouter';
import type { BranchingView, BranchRow } from '../../../shared/contract/run-views.ts';
import type { RunDetailView } from '../../../shared/contract/views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { useQuery } from '../../state/use-query.ts';
import { Chip } from '../../ui/chip.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { groupsOf, needsPerson, rowsOf } from './branch-model.ts';
import { text } from './strings.ts';

/** Every visit of a workset or a fork with its branches, the newest first and open. */
export function Branchings({ view }: { readonly view: RunDetailView }) {
  return view.branchings
    .toReversed()
    .map((branching, index) => (
      <Branching
        key={`${branching.stateId}#${branching.stateVisit}`}
        runId={view.row.runId}
        branching={branching}
        isFirst={index === 0}
      />
    ));
}

function Branching(props: { readonly runId: string; readonly branching: BranchingView; readonly isFirst: boolean }) {
  const { branching } = props;
  const [isOpen, setIsOpen] = useState(props.isFirst);
  const [group, setGroup] = useState<string | null>(null);
  const id = `branches-${branching.stateId}-${branching.stateVisit}`;
  const groups = groupsOf(branching.counts);
  // A group that nobody is in any more shows all again, instead of nothing.
  const chosen = groups.some((each) => each.id === group) ? group : null;
  return (
    <section className="rd-branching" aria-labelledby={`${id}-head`}>
      <header>
        <h2>
          <button
            type="button"
            id={`${id}-head`}
            className="rd-fold medium"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'cd' : 'cr'} size="small" />
            <span className="cut">
              <VisibleText text={text.branchesOf(branching.title, branching.stateVisit)} />
            </span>
            <span className="ink3 t12 nw">
              {branching.total.toLocaleString('en')} {text.branches(branching.kind).toLowerCase()}
            </span>
          </button>
        </h2>
        <span className="flex wrap">
          {groups.length > 1 && (
            <Chip isOn={chosen === null} onClick={() => setGroup(null)}>
              {text.allBranches} {branching.total.toLocaleString('en')}
            </Chip>
          )}
          {groups.map((each) => (
            <Chip key={each.id} isOn={chosen === each.id} onClick={() => setGroup(chosen === each.id ? null : each.id)}>
              {each.label} {each.count.toLocaleString('en')}
            </Chip>
          ))}
        </span>
      </header>
      <div id={id}>{isOpen && <BranchTable runId={props.runId} branching={branching} group={chosen} />}</div>
    </section>
  );
}

function BranchTable(props: {
  readonly runId: string;
  readonly branching: BranchingView;
  readonly group: string | null;
}) {
  const { stateId, stateVisit, kind, title } = props.branching;
  const { value, problem, refetch } = useQuery('runs.branches', { runId: props.runId, stateId, stateVisit });
  if (value === null) {
    return problem === null ? null : <ErrorState title={text.branchesFailed} problem={problem} onRetry={refetch} />;
  }
  const rows = rowsOf(value.rows, props.group);
  return (
    <div
      role="table"
      className="rd-branches"
      aria-label={`${text.branches(kind)}: ${text.branchesOf(title, stateVisit)}`}
      aria-rowcount={rows.length + 1}
    >
      <div role="row" className="rd-branch head">
        <span role="columnheader">{text.branchState}</span>
        <span role="columnheader">{text.branch(kind)}</span>
        <span role="columnheader">{text.branchStep}</span>
        <span role="columnheader">{text.branchSummary}</span>
        <span role="columnheader" className="r">
          {text.branchRun}
        </span>
      </div>
      {rows.map((row) => (
        <BranchTableRow key={row.runId} row={row} />
      ))}
    </div>
  );
}

function BranchTableRow({ row }: { readonly row: BranchRow }) {
  return (
    <div role="row" className={needsPerson(row.status) ? 'rd-branch you' : 'rd-branch'}>
      <span role="cell" className="cut">
        <StateMark status={row.status} />
      </span>
      <span role="cell" className="cut">
        <Link
          href={`/runs/${encodeURIComponent(row.runId)}`}
          className="rd-item cut medium"
          title={visibleText(row.branch)}
        >
          <VisibleText text={row.branch} />
        </Link>
      </span>
      <span role="cell" className="cut ink2">
        <VisibleText text={row.stepTitle} />
      </span>
      <span role="cell" className="cut ink2" title={visibleText(row.summary)}>
        <VisibleText text={row.summary} />
      </span>
      <span role="cell" className="r ink3 num">
        {String(row.number).padStart(4, '0')}
      </span>
    </div>
  );
}
