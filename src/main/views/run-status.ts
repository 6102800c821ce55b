import type { AgentId } from '../../shared/contract/identifiers.ts';
import { runStatus } from '../../shared/core/run/run-state.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { readAll } from '../store/connection.ts';
import { holdOf } from '../store/holds.ts';
import type { RunRecord } from '../store/rows.ts';
import type { ViewSource } from './view-source.ts';

/** The columns of a run that its status depends on. */
export type StatusColumns = Pick<RunRecord, 'agent_id' | 'phase' | 'ending' | 'barrier_active' | 'is_refused'>;

/** The most urgent first: what one word for several runs is taken from. */
const URGENCY: readonly RunStatus[] = [
  'needs-recovery',
  'needs-approval',
  'running-here',
  'running-elsewhere',
  'refused',
  'waiting',
];

/** Whether this device holds the right to act for an agent, or another one does. */
export function whereOf(
  source: ViewSource,
  agentId: AgentId,
): { readonly isHere: boolean; readonly holder: string | null } {
  const status = source.leaseStatus(agentId);
  if (status.held !== null) return { isHere: true, holder: null };
  const holder = status.view?.lease?.holder ?? null;
  const isElsewhere = holder !== null && holder !== source.device.deviceId && (status.view?.remainingMs ?? 0) > 0;
  return { isHere: false, holder: isElsewhere ? holder : null };
}

/** The word for a run by itself, by the core's one function. A run that is acting again is no longer refused. */
export function statusOf(source: ViewSource, run: StatusColumns): RunStatus {
  const { isHere, holder } = whereOf(source, run.agent_id);
  return runStatus(
    { phase: run.phase, ending: run.ending, barrierActive: holdOf(source.connection.db, run) !== null },
    { isHere, isElsewhere: holder !== null, isRefused: run.is_refused === 1 && run.phase !== 'acting' },
  );
}

/**
 * Every kind of open branch by the runs that it lies inside of. The plus sign keeps SQLite from walking all branches that
 * ever were: what has not ended has an index of its own.
 */
const OPEN_INSIDE = `WITH RECURSIVE inside (outer_run_id, agent_id, phase, ending, barrier_active, is_refused) AS (
    SELECT parent_run_id, agent_id, phase, ending, barrier_active, is_refused FROM runs
      WHERE ending IS NULL AND +parent_run_id IS NOT NULL AND phase <> 'branching'
    UNION
    SELECT runs.parent_run_id, inside.agent_id, inside.phase, inside.ending, inside.barrier_active, inside.is_refused
      FROM inside JOIN runs ON runs.run_id = inside.outer_run_id WHERE runs.parent_run_id IS NOT NULL
  ) SELECT * FROM inside`;

/** The same below one run. */
const OPEN_BELOW = `WITH RECURSIVE below (run_id, agent_id, phase, ending, barrier_active, is_refused) AS (
    SELECT run_id, agent_id, phase, ending, barrier_active, is_refused FROM runs WHERE parent_run_id = ? AND ending IS NULL
    UNION ALL
    SELECT runs.run_id, runs.agent_id, runs.phase, runs.ending, runs.barrier_active, runs.is_refused
      FROM below JOIN runs ON runs.parent_run_id = below.run_id WHERE runs.ending IS NULL
  ) SELECT DISTINCT agent_id, phase, ending, barrier_active, is_refused FROM below WHERE phase <> 'branching'`;

/** How each run stands that goes on in branches, by its id: as its most urgent branch. */
export function branchingStatuses(source: ViewSource): ReadonlyMap<string, RunStatus> {
  const statuses = new Map<string, RunStatus>();
  const branches = readAll<StatusColumns & { readonly outer_run_id: string }>(source.connection.db, OPEN_INSIDE);
  for (const { outer_run_id: outer, ...branch } of branches) {
    const known = statuses.get(outer);
    const status = mostUrgent([statusOf(source, branch), ...(known === undefined ? [] : [known])]);
    if (status !== null) statuses.set(outer, status);
  }
  return statuses;
}

/** How one run stands: as its most urgent branch, if it goes on in branches. */
export function standingOf(source: ViewSource, run: StatusColumns & Pick<RunRecord, 'run_id'>): RunStatus {
  const own = statusOf(source, run);
  if (run.ending !== null || run.phase !== 'branching') return own;
  const branches = readAll<StatusColumns>(source.connection.db, OPEN_BELOW, run.run_id);
  return mostUrgent(branches.map((branch) => statusOf(source, branch))) ?? own;
}

/** The most urgent of several states; `null` of none that is open. */
export function mostUrgent(statuses: readonly RunStatus[]): RunStatus | null {
  return URGENCY.find((status) => statuses.includes(status)) ?? null;
}
