import type { RunStatus } from '../../shared/core/run/run-state.ts';
import type { StateId } from '../../shared/contract/identifiers.ts';
import type { StrategyState } from '../../shared/contract/strategy.ts';
import type { StepRow } from '../../shared/contract/views.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import type { ApprovalRecord, RunRecord } from '../store/rows.ts';
import { branchCounts, branchesText, placeOf, totalOf } from './branches.ts';
import type { ViewSource } from './view-source.ts';
import { clockText, durationText } from './words.ts';

/** How a step stands, and one line about it. */
export type Quiet = Pick<StepRow, 'status' | 'summary'>;

/** One visit of a state, as far as its own standing depends on it. */
export interface QuietVisit {
  readonly stateId: StateId;
  readonly stateVisit: number;
  readonly isCurrent: boolean;
  /** What was written down when a step of several parts was over; `null` before that. */
  readonly concluded: string | null;
  readonly approval: ApprovalRecord | null;
}

/** How a step stands that has no outside act of its own. */
export function quietStatus(
  source: ViewSource,
  of: { readonly run: RunRecord; readonly visit: QuietVisit; readonly state: StrategyState | undefined },
): Quiet {
  const { run, visit, state } = of;
  const isOpen = visit.isCurrent && run.ending === null;
  switch (state?.type) {
    case 'approve':
      return visit.approval === null
        ? { status: isOpen ? 'waiting' : 'stopped', summary: '' }
        : approvalStatus(visit.approval);
    case 'wait':
      if (!isOpen || run.wait_until_ms === null)
        return { status: visit.isCurrent && run.ending === 'stopped' ? 'stopped' : 'done', summary: '' };
      return {
        status: 'waiting',
        summary: `Until ${clockText(run.wait_until_ms)}, ${durationText(run.wait_until_ms - source.nowMs)} left`,
      };
    case 'fail':
      return { status: 'failed', summary: run.ending === null ? '' : run.last_event };
    case 'join':
      return visit.isCurrent && run.ending !== null && run.ending !== 'done'
        ? { status: 'failed', summary: run.last_event }
        : { status: 'done', summary: '' };
    case 'done':
    case 'choice':
      return { status: 'done', summary: '' };
    case 'workset':
    case 'fork':
      return branchesStatus(source, { run, visit, kind: state.type });
    case 'tool':
    case 'script':
    case 'model':
    case undefined:
      if (isOpen) return { status: 'waiting', summary: '' };
      return {
        status: run.ending === 'stopped' ? 'stopped' : 'failed',
        summary: visit.concluded ?? (visit.isCurrent ? run.last_event : 'Nothing was sent'),
      };
    default:
      return assertNever(state);
  }
}

function branchesStatus(
  source: ViewSource,
  of: { readonly run: RunRecord; readonly visit: QuietVisit; readonly kind: 'workset' | 'fork' },
): Quiet {
  const { run, visit, kind } = of;
  const counts = branchCounts(source, placeOf(run, visit));
  const total = totalOf(counts);
  if (total === 0) {
    if (visit.concluded !== null) return { status: 'done', summary: visit.concluded };
    return { status: 'failed', summary: visit.isCurrent ? run.last_event : 'Nothing was sent' };
  }
  const summary = branchesText(counts, kind);
  const open = OPEN.find(([status]) => (counts[status] ?? 0) > 0);
  if (open !== undefined) return { status: open[1], summary };
  if (visit.isCurrent && run.ending === 'stopped') return { status: 'stopped', summary };
  return { status: kind === 'fork' || counts.done === total ? 'done' : 'failed', summary };
}

const OPEN: readonly (readonly [RunStatus, StepRow['status']])[] = [
  ['needs-recovery', 'unclear'],
  ['needs-approval', 'needs-approval'],
  ['running-here', 'running'],
  ['running-elsewhere', 'running'],
  ['refused', 'waiting'],
  ['waiting', 'waiting'],
];

function approvalStatus({ state, standing_id: standingId }: ApprovalRecord): Quiet {
  switch (state) {
    case 'open':
      return { status: 'needs-approval', summary: 'Waits for your answer' };
    case 'allowed':
      return {
        status: 'done',
        summary: standingId === null ? 'You allowed it once' : 'Your standing permission allowed it',
      };
    case 'not-allowed':
      return { status: 'refused', summary: 'You did not allow it. It was not sent.' };
    case 'expired':
      return { status: 'refused', summary: 'Nobody answered in time, so it was not sent' };
    case 'withdrawn':
      return { status: 'stopped', summary: 'The run ended before you answered' };
    case 'stale':
      return {
        status: 'refused',
        summary: 'Your yes did not count any more, so you are asked again. Nothing was sent.',
      };
    default:
      return assertNever(state);
  }
}
