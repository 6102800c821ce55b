import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type { RunsView } from '../../shared/contract/views.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { readAll, readOne } from '../store/connection.ts';
import { holdOf } from '../store/holds.ts';
import type { RunRecord } from '../store/rows.ts';
import { filterOf, OF_THEIR_OWN, runDevices } from './run-filter.ts';
import type { RunFilter } from './run-filter.ts';
import { runRow } from './run-row.ts';
import { branchingStatuses, statusOf } from './run-status.ts';
import type { StatusColumns } from './run-status.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** Runs whose status depends on the same facts, and how many they are. */
interface StatusGroup extends StatusColumns {
  readonly count: number;
  readonly status: RunStatus;
  /** The one run of the group, where it goes on in branches: its status is theirs. */
  readonly runNumber: number | null;
}

const NEEDS: readonly RunStatus[] = ['needs-approval', 'needs-recovery'];
/** Up to so many runs are put in order faster than all others are passed over on the way to them. */
const ORDERED_MAX = 5_000;

/**
 * A page of the runs list: those that need a person first, then the newest. `total` counts all runs, `shown` those that
 * the filter lets through. Statuses are worked out per group of equal facts, so no list of all runs is ever made.
 */
export function runsView(source: ViewSource, request: ParsedRequestOf<'runs.list'>): RunsView {
  const { db } = source.connection;
  const filter = filterOf(source, request);
  const counts: Partial<Record<RunStatus, number>> = {};
  const wanted = new Set<RunStatus>(request.statuses);
  const chosen: StatusGroup[] = [];
  for (const group of statusGroups(source, filter)) {
    counts[group.status] = (counts[group.status] ?? 0) + group.count;
    if (wanted.size === 0 || wanted.has(group.status)) chosen.push(group);
  }
  const total = readOne<{ count: number }>(db, `SELECT count(*) AS count FROM runs WHERE ${OF_THEIR_OWN}`)?.count ?? 0;
  const names = new Map<string, string>();
  const rows = page(source, request, { filter: wanted.size === 0 ? filter : narrow(filter, chosen), chosen });
  return {
    sequence: sequenceOf(source),
    total,
    shown: chosen.reduce((sum, group) => sum + group.count, 0),
    counts,
    rows: rows.map((run) => runRow(source, run, names)),
    devices: runDevices(source),
  };
}

/** Everything that has not ended and how it stands: for the status bar. */
export function openRunCounts(source: ViewSource): {
  readonly running: number;
  readonly open: number;
  readonly paused: number;
} {
  const groups = statusGroups(source, { from: 'runs', sql: `${OF_THEIR_OWN} AND ending IS NULL`, parameters: [] });
  const count = (holds: (group: StatusGroup) => boolean): number =>
    groups.reduce((sum, group) => sum + (holds(group) ? group.count : 0), 0);
  return {
    running: count((group) => group.status === 'running-here'),
    open: count(() => true),
    paused: count((group) => holdOf(source.connection.db, group) !== null),
  };
}

function statusGroups(source: ViewSource, filter: RunFilter): StatusGroup[] {
  const { db } = source.connection;
  const groups = readAll<StatusColumns & { readonly count: number }>(
    db,
    `SELECT agent_id, phase, ending, barrier_active, is_refused, count(*) AS count FROM ${filter.from}
       WHERE ${filter.sql} AND phase <> 'branching' GROUP BY agent_id, phase, ending, barrier_active, is_refused`,
    ...filter.parameters,
  );
  const branching = readAll<StatusColumns & { readonly run_id: string; readonly run_number: number }>(
    db,
    `SELECT run_id, run_number, agent_id, phase, ending, barrier_active, is_refused FROM runs INDEXED BY runs_open
       WHERE ${filter.sql} AND phase = 'branching' AND ending IS NULL`,
    ...filter.parameters,
  );
  const statuses = branching.length === 0 ? new Map<string, RunStatus>() : branchingStatuses(source);
  return [
    ...groups.map((group) => ({ ...group, status: statusOf(source, group), runNumber: null })),
    ...branching.map((run) => ({
      ...run,
      count: 1,
      status: statuses.get(run.run_id) ?? statusOf(source, run),
      runNumber: run.run_number,
    })),
  ];
}

/** Two stretches, each in its own order: what needs a person, then the rest. */
function page(
  source: ViewSource,
  request: ParsedRequestOf<'runs.list'>,
  of: { readonly filter: RunFilter; readonly chosen: readonly StatusGroup[] },
): RunRecord[] {
  const { filter, chosen } = of;
  const needing = chosen.filter((group) => NEEDS.includes(group.status));
  const count = needing.reduce((sum, group) => sum + group.count, 0);
  const matching = chosen.reduce((sum, group) => sum + group.count, 0);
  const isOrdered = filter.from !== 'runs NOT INDEXED' && matching <= ORDERED_MAX;
  const branching = JSON.stringify(needing.flatMap((group) => group.runNumber ?? []));
  const read = (
    stretch: { readonly from: RunFilter['from']; readonly condition: string; readonly order: string },
    limit: number,
    offset: number,
  ): RunRecord[] =>
    limit <= 0
      ? []
      : readAll<RunRecord>(
          source.connection.db,
          `SELECT * FROM runs WHERE run_number IN (SELECT run_number FROM ${stretch.from} WHERE ${filter.sql} AND ${stretch.condition}
             ORDER BY ${stretch.order} DESC LIMIT ? OFFSET ?) ORDER BY run_number DESC`,
          ...filter.parameters,
          branching,
          limit,
          offset,
        );
  const isNeeding = `(ending IS NULL AND (phase IN ('needs-recovery', 'needs-approval') OR
    (phase = 'branching' AND run_number IN (SELECT value FROM json_each(?)))))`;
  const others = chosen.filter((group) => !NEEDS.includes(group.status));
  // The plus sign keeps SQLite from walking all runs for the sake of the order: open runs have an index of their own.
  const otherOrder = others.some((group) => group.ending !== null) ? 'run_number' : '+run_number';
  const first = read(
    { from: 'runs', condition: isNeeding, order: '+run_number' },
    Math.min(request.limit, count - request.offset),
    request.offset,
  );
  const rest = read(
    { from: isOrdered ? filter.from : 'runs', condition: `NOT ${isNeeding}`, order: otherOrder },
    others.length === 0 ? 0 : request.limit - first.length,
    Math.max(0, request.offset - count),
  );
  return [...first, ...rest];
}

/** Lets only the runs of the chosen groups through. The groups travel as JSON parameters, so the statement is prepared once. */
function narrow(filter: RunFilter, chosen: readonly StatusGroup[]): RunFilter {
  const endings = [...new Set(chosen.flatMap((group) => (group.ending === null ? [] : [group.ending])))];
  const open = chosen.filter((group) => group.ending === null && group.runNumber === null);
  const keys = open.map((group) => [group.agent_id, group.phase, group.barrier_active, group.is_refused]);
  const branching = chosen.flatMap((group) => group.runNumber ?? []);
  const isOpen = `(ending IS NULL AND ((agent_id, phase, barrier_active, is_refused) IN
      (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)) OR run_number IN (SELECT value FROM json_each(?))))`;
  const ofOpen = [JSON.stringify(keys), JSON.stringify(branching)];
  if (endings.length === 0)
    return { ...filter, sql: `${filter.sql} AND ${isOpen}`, parameters: [...filter.parameters, ...ofOpen] };
  return {
    ...filter,
    sql: `${filter.sql} AND (ending IN (SELECT value FROM json_each(?)) OR ${isOpen})`,
    parameters: [...filter.parameters, JSON.stringify(endings), ...ofOpen],
  };
}
