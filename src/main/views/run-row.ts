import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { RunRow } from '../../shared/contract/views.ts';
import { laterSteps } from '../../shared/core/run/next-state.ts';
import { runStatus } from '../../shared/core/run/run-state.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { findAgent } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The columns of a run that its status depends on. */
export type StatusColumns = Pick<RunRecord, 'agent_id' | 'phase' | 'ending' | 'barrier_active' | 'is_refused'>;

/** Whether this device holds the right to act for an agent, or another one does. */
function whereOf(source: ViewSource, agentId: AgentId): { readonly isHere: boolean; readonly holder: string | null } {
  const status = source.leaseStatus(agentId);
  if (status.held !== null) return { isHere: true, holder: null };
  const holder = status.view?.lease?.holder ?? null;
  const isElsewhere = holder !== null && holder !== source.device.deviceId && (status.view?.remainingMs ?? 0) > 0;
  return { isHere: false, holder: isElsewhere ? holder : null };
}

/** The word for a run, by the core's one function. A run that is acting again is no longer refused. */
export function statusOf(source: ViewSource, run: StatusColumns): RunStatus {
  const { isHere, holder } = whereOf(source, run.agent_id);
  return runStatus(
    { phase: run.phase, ending: run.ending, barrierActive: run.barrier_active === 1 },
    { isHere, isElsewhere: holder !== null, isRefused: run.is_refused === 1 && run.phase !== 'acting' },
  );
}

const totals = new WeakMap<Strategy, number>();

/** How many outside acts the straight way through a strategy has. */
function stepsTotalOf(source: ViewSource, run: RunRecord): number {
  const strategy = source.strategyOf(run.revision_digest);
  if (strategy === null) return run.steps_done;
  const known = totals.get(strategy) ?? laterSteps(strategy, strategy.start).length;
  totals.set(strategy, known);
  return Math.max(known, run.steps_done);
}

/** A run as a row; `names` keeps the agents' names over many rows. */
export function runRow(source: ViewSource, run: RunRecord, names = new Map<string, string>()): RunRow {
  const agentName = names.get(run.agent_id) ?? findAgent(source.connection.db, run.agent_id)?.name ?? run.agent_id;
  names.set(run.agent_id, agentName);
  const { holder } = run.ending === null ? whereOf(source, run.agent_id) : { holder: null };
  return {
    runId: run.run_id,
    number: run.run_number,
    status: statusOf(source, run),
    title: run.title,
    agentId: run.agent_id,
    agentName,
    deviceName: deviceNameOf(source, holder),
    startedAtMs: run.started_at_ms,
    endedAtMs: run.ended_at_ms,
    stepsDone: run.steps_done,
    stepsTotal: stepsTotalOf(source, run),
    lastEvent: run.last_event,
  };
}
