import type { RecordedEvent } from '../../shared/contract/events.ts';
import type { StateId } from '../../shared/contract/identifiers.ts';
import type { BranchesView, BranchingView, BranchRow, OuterRun } from '../../shared/contract/run-views.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { branchesOf } from '../store/branches.ts';
import type { BranchingPlace } from '../store/branches.ts';
import { readAll } from '../store/connection.ts';
import { findRun } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { plainly } from './failure-words.ts';
import { progressText } from './run-row.ts';
import { standingOf, statusOf } from './run-status.ts';
import type { StatusColumns } from './run-status.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The most visits of worksets and forks that a run's screen lists, newest kept. */
const BRANCHING_LIMIT = 50;

type Counts = Readonly<Partial<Record<RunStatus, number>>>;

/** The items of one visit of a workset, or the ways of a fork; `null` if there is no such run. */
export function branchesView(source: ViewSource, place: BranchingPlace): BranchesView | null {
  const { db } = source.connection;
  const run = findRun(db, place.runId);
  if (run === null) return null;
  const strategy = source.strategyOf(run.revision_digest);
  const rows = branchesOf(db, place).map((branch) => branchRow(source, branch, strategy));
  return { sequence: sequenceOf(source), rows };
}

function branchRow(source: ViewSource, branch: RunRecord, strategy: Strategy | null): BranchRow {
  const state = strategy === null ? undefined : ownMember(strategy.states, branch.state_id);
  return {
    runId: branch.run_id,
    number: branch.run_number,
    branch: branch.branch ?? '',
    status: standingOf(source, branch),
    summary: branch.phase === 'branching' ? progressText(source, branch) : plainly(branch.last_event),
    stepTitle: state?.title ?? branch.state_id,
    endedAtMs: branch.ended_at_ms,
  };
}

/** How many branches of one visit stand how. */
export function branchCounts(source: ViewSource, place: BranchingPlace): Counts {
  const counts: Partial<Record<RunStatus, number>> = {};
  const add = (status: RunStatus, count: number): void => {
    counts[status] = (counts[status] ?? 0) + count;
  };
  const { db } = source.connection;
  const of = [place.runId, place.stateId, place.stateVisit] as const;
  const inPlace = 'parent_run_id = ? AND parent_state_id = ? AND parent_state_visit = ?';
  const groups = readAll<StatusColumns & { readonly count: number }>(
    db,
    `SELECT agent_id, phase, ending, barrier_active, is_refused, count(*) AS count FROM runs WHERE ${inPlace}
       AND phase <> 'branching' GROUP BY agent_id, phase, ending, barrier_active, is_refused`,
    ...of,
  );
  for (const group of groups) add(statusOf(source, group), group.count);
  const branching = readAll<RunRecord>(db, `SELECT * FROM runs WHERE ${inPlace} AND phase = 'branching'`, ...of);
  for (const branch of branching) add(standingOf(source, branch), 1);
  return counts;
}

/** How many branches there are. */
export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** How far the branches of one visit are, in one line. */
export function branchesText(counts: Counts, kind: BranchingView['kind']): string {
  const total = totalOf(counts);
  const one = (statuses: readonly RunStatus[]): number => statuses.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  const [thing, things] = kind === 'fork' ? ['branch', 'branches'] : ['item', 'items'];
  const parts = [`${counts.done ?? 0} of ${total} ${total === 1 ? thing : things} done`];
  const needing = one(['needs-recovery', 'needs-approval']);
  if (needing > 0) parts.push(`${needing} ${needing === 1 ? 'needs' : 'need'} you`);
  const failed = one(['failed-nothing-sent', 'failed-was-sent']);
  if (failed > 0) parts.push(`${failed} failed`);
  if ((counts.stopped ?? 0) > 0) parts.push(`${counts.stopped ?? 0} stopped`);
  return parts.join(', ');
}

/** The newest visits of worksets and forks of a run, oldest first. */
export function branchingViews(
  source: ViewSource,
  of: { readonly run: RunRecord; readonly strategy: Strategy | null; readonly events: readonly RecordedEvent[] },
): BranchingView[] {
  const visits = of.events.flatMap((event) => (event.kind === 'run.branching' ? [event.payload] : []));
  return visits.slice(-BRANCHING_LIMIT).map(({ stateId, stateVisit, count }) => {
    const state = of.strategy === null ? undefined : ownMember(of.strategy.states, stateId);
    return {
      stateId,
      stateVisit,
      kind: state?.type === 'fork' ? 'fork' : 'workset',
      title: state?.title ?? stateId,
      total: count,
      counts: branchCounts(source, { runId: of.run.run_id, stateId, stateVisit }),
    };
  });
}

/** The place of a visit that branches. */
export function placeOf(run: RunRecord, visit: { stateId: StateId; stateVisit: number }): BranchingPlace {
  return { runId: run.run_id, stateId: visit.stateId, stateVisit: visit.stateVisit };
}

/** The runs that a branch lies inside of, outermost first. */
export function outerRuns(source: ViewSource, run: RunRecord): OuterRun[] {
  const outer = run.parent_run_id === null ? null : findRun(source.connection.db, run.parent_run_id);
  if (outer === null) return [];
  return [
    ...outerRuns(source, outer),
    { runId: outer.run_id, number: outer.run_number, title: outer.branch ?? outer.title },
  ];
}
