import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type { RunsView } from '../../shared/contract/views.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { readAll, readOne } from '../store/connection.ts';
import type { RunRecord } from '../store/rows.ts';
import { runRow, statusOf } from './run-row.ts';
import type { StatusColumns } from './run-row.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** Runs whose status depends on the same facts, and how many they are. */
interface StatusGroup extends StatusColumns {
  readonly count: number;
}

interface Filter {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const NEEDS: readonly RunStatus[] = ['needs-approval', 'needs-recovery'];

/**
 * A page of the runs list: those that need a person first, then the newest. `total` counts all runs, `shown` those that
 * the filter lets through. Statuses are worked out per group of equal facts, so no list of all runs is ever made.
 */
export function runsView(source: ViewSource, request: ParsedRequestOf<'runs.list'>): RunsView {
  const { db } = source.connection;
  const filter = filterOf(request);
  const groups = statusGroups(source, filter);
  const counts: Partial<Record<RunStatus, number>> = {};
  const wanted = new Set<RunStatus>(request.statuses);
  const chosen: StatusGroup[] = [];
  for (const group of groups) {
    const status = statusOf(source, group);
    counts[status] = (counts[status] ?? 0) + group.count;
    if (wanted.size === 0 || wanted.has(status)) chosen.push(group);
  }
  const total = readOne<{ count: number }>(db, 'SELECT count(*) AS count FROM runs')?.count ?? 0;
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
  const groups = statusGroups(source, { sql: 'ending IS NULL', parameters: [] });
  const count = (holds: (group: StatusGroup) => boolean): number =>
    groups.reduce((sum, group) => sum + (holds(group) ? group.count : 0), 0);
  return {
    running: count((group) => statusOf(source, group) === 'running-here'),
    open: count(() => true),
    paused: count((group) => group.barrier_active === 1),
  };
}

function statusGroups(source: ViewSource, filter: Filter): StatusGroup[] {
  return readAll<StatusGroup>(
    source.connection.db,
    `SELECT agent_id, phase, ending, barrier_active, is_refused, count(*) AS count FROM runs WHERE ${filter.sql}
     GROUP BY agent_id, phase, ending, barrier_active, is_refused`,
    ...filter.parameters,
  );
}

function filterOf(request: ParsedRequestOf<'runs.list'>): Filter {
  const parts: string[] = [];
  const parameters: unknown[] = [];
  if (request.agentId !== undefined) {
    parts.push('agent_id = ?');
    parameters.push(request.agentId);
  }
  const search = request.search.trim();
  if (search !== '') {
    const like = `%${search.replaceAll(/[\\%_]/gu, (sign) => `\\${sign}`)}%`;
    const number = /^\d{1,15}$/u.test(search) ? Number(search) : -1;
    parts.push(
      `(title LIKE ? ESCAPE '\\' OR last_event LIKE ? ESCAPE '\\' OR run_number = ?
        OR agent_id IN (SELECT agent_id FROM agents WHERE name LIKE ? ESCAPE '\\'))`,
    );
    parameters.push(like, like, number, like);
  }
  return { sql: parts.length === 0 ? '1' : parts.join(' AND '), parameters };
}

/** Two stretches, each in its own order: what needs a person, then the rest. */
function page(
  source: ViewSource,
  request: ParsedRequestOf<'runs.list'>,
  of: { readonly filter: Filter; readonly chosen: readonly StatusGroup[] },
): RunRecord[] {
  const { filter, chosen } = of;
  const needing = chosen.reduce((sum, group) => sum + (NEEDS.includes(statusOf(source, group)) ? group.count : 0), 0);
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
          limit,
          offset,
        );
  const isNeeding = `(ending IS NULL AND phase IN ('needs-recovery', 'needs-approval'))`;
  // The plus sign keeps SQLite from walking all runs for the sake of the order: open runs have an index of their own.
  const needingRuns = { condition: isNeeding, order: '+run_number' };
  const first = read(needingRuns, Math.min(request.limit, needing - request.offset), request.offset);
  const rest = read(
    { condition: `NOT ${isNeeding}`, order: 'run_number' },
    request.limit - first.length,
    Math.max(0, request.offset - needing),
  );
  return [...first, ...rest];
}

/** Lets only the runs of the chosen groups through. The groups travel as one JSON parameter, so the statement is prepared once. */
function narrow(filter: Filter, chosen: readonly StatusGroup[]): Filter {
  const endings = [...new Set(chosen.flatMap((group) => (group.ending === null ? [] : [group.ending])))];
  const open = chosen.filter((group) => group.ending === null);
  const keys = open.map((group) => [group.agent_id, group.phase, group.barrier_active, group.is_refused]);
  return {
    sql: `${filter.sql} AND (ending IN (SELECT value FROM json_each(?)) OR (ending IS NULL AND (agent_id, phase, barrier_active, is_refused) IN
      (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?))))`,
    parameters: [...filter.parameters, JSON.stringify(endings), JSON.stringify(keys)],
  };
}
