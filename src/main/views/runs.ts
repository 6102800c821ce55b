import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type { RunsView } from '../../shared/contract/views.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { readAll, readOne } from '../store/connection.ts';
import { holdOf } from '../store/holds.ts';
import type { RunRecord } from '../store/rows.ts';
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

interface Filter {
  /** The table. A search reads every run anyway, and an index would only send it to and fro. */
  readonly from: 'runs' | 'runs NOT INDEXED';
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const NEEDS: readonly RunStatus[] = ['needs-approval', 'needs-recovery'];
/** Branches belong to the run that began them and are shown there. */
const OF_THEIR_OWN = 'parent_run_id IS NULL';

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

function statusGroups(source: ViewSource, filter: Filter): StatusGroup[] {
  const { db } = source.connection;
  const groups = readAll<StatusColumns & { readonly count: number }>(
    db,
    `SELECT agent_id, phase, ending, barrier_active, is_refused, count(*) AS count FROM ${filter.from}
       WHERE ${filter.sql} AND phase <> 'branching' GROUP BY agent_id, phase, ending, barrier_active, is_refused`,
    ...filter.parameters,
  );
  const branching = readAll<StatusColumns & { readonly run_id: string; readonly run_number: number }>(
    db,
    `SELECT run_id, run_number, agent_id, phase, ending, barrier_active, is_refused FROM runs
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

function filterOf(source: ViewSource, request: ParsedRequestOf<'runs.list'>): Filter {
  const parts: string[] = [OF_THEIR_OWN];
  const parameters: unknown[] = [];
  if (request.agentId !== undefined) {
    parts.push('agent_id = ?');
    parameters.push(request.agentId);
  }
  if (request.runIds !== undefined) {
    parts.push('run_id IN (SELECT value FROM json_each(?))');
    parameters.push(JSON.stringify(request.runIds));
  }
  const search = request.search.trim();
  if (search !== '') {
    const like = `%${search.replaceAll(/[\\%_]/gu, (sign) => `\\${sign}`)}%`;
    const number = /^\d{1,15}$/u.test(search) ? Number(search) : -1;
    // Looked for once, however often the filter is used.
    const inside = readAll<{ run_id: string }>(source.connection.db, FOUND_INSIDE, like, like, number);
    parts.push(
      `(title LIKE ? ESCAPE '\\' OR last_event LIKE ? ESCAPE '\\' OR run_number = ?
        OR agent_id IN (SELECT agent_id FROM agents WHERE name LIKE ? ESCAPE '\\')
        OR run_id IN (SELECT value FROM json_each(?)))`,
    );
    parameters.push(like, like, number, like, JSON.stringify(inside.map((each) => each.run_id)));
  }
  return { from: search === '' ? 'runs' : 'runs NOT INDEXED', sql: parts.join(' AND '), parameters };
}

/** The runs that a branch is found in: by its name, by what it said last, or by its number. */
const FOUND_INSIDE = `WITH RECURSIVE found (run_id) AS (
    SELECT parent_run_id FROM runs WHERE parent_run_id IS NOT NULL
      AND (branch LIKE ? ESCAPE '\\' OR last_event LIKE ? ESCAPE '\\' OR run_number = ?)
    UNION
    SELECT runs.parent_run_id FROM found JOIN runs USING (run_id) WHERE runs.parent_run_id IS NOT NULL
  ) SELECT run_id FROM found`;

/** Two stretches, each in its own order: what needs a person, then the rest. */
function page(
  source: ViewSource,
  request: ParsedRequestOf<'runs.list'>,
  of: { readonly filter: Filter; readonly chosen: readonly StatusGroup[] },
): RunRecord[] {
  const { filter, chosen } = of;
  const needing = chosen.filter((group) => NEEDS.includes(group.status));
  const count = needing.reduce((sum, group) => sum + group.count, 0);
  const branching = JSON.stringify(needing.flatMap((group) => group.runNumber ?? []));
  const read = (
    stretch: { readonly condition: string; readonly order: string },
    limit: number,
    offset: number,
  ): RunRecord[] =>
    limit <= 0
      ? []
      : readAll<RunRecord>(
          source.connection.db,
          `SELECT * FROM runs WHERE run_number IN (SELECT run_number FROM runs WHERE ${filter.sql} AND ${stretch.condition}
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
    { condition: isNeeding, order: '+run_number' },
    Math.min(request.limit, count - request.offset),
    request.offset,
  );
  const rest = read(
    { condition: `NOT ${isNeeding}`, order: otherOrder },
    others.length === 0 ? 0 : request.limit - first.length,
    Math.max(0, request.offset - count),
  );
  return [...first, ...rest];
}

/** Lets only the runs of the chosen groups through. The groups travel as JSON parameters, so the statement is prepared once. */
function narrow(filter: Filter, chosen: readonly StatusGroup[]): Filter {
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
