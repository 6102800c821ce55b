import type { Strategy } from '../../shared/contract/strategy.ts';
import type { RunRow } from '../../shared/contract/views.ts';
import { isActing } from '../../shared/core/run/next-state.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { readOne } from '../store/connection.ts';
import { findAgent } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { plainly } from './failure-words.ts';
import { standingOf, whereOf } from './run-status.ts';
import { endsOf, straightWay } from './straight-way.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

const totals = new WeakMap<Strategy, Map<string, number>>();

/** How many outside acts the straight way of a run has. */
function stepsTotalOf(source: ViewSource, run: RunRecord): number {
  const strategy = source.strategyOf(run.revision_digest);
  if (strategy === null) return run.steps_done;
  const { start, until } = endsOf(strategy, run);
  const place = `${start} ${until ?? ''}`;
  const known = totals.get(strategy) ?? new Map<string, number>();
  totals.set(strategy, known);
  const total =
    known.get(place) ?? straightWay(strategy, start, { until }).filter(({ state }) => isActing(state)).length;
  known.set(place, total);
  return Math.max(total, run.steps_done);
}

/** A run as a row; `names` keeps the agents' names over many rows. */
export function runRow(source: ViewSource, run: RunRecord, names = new Map<string, string>()): RunRow {
  const agentName = names.get(run.agent_id) ?? findAgent(source.connection.db, run.agent_id)?.name ?? run.agent_id;
  names.set(run.agent_id, agentName);
  const { holder } = run.ending === null ? whereOf(source, run.agent_id) : { holder: null };
  return {
    runId: run.run_id,
    number: run.run_number,
    status: standingOf(source, run),
    title: run.title,
    agentId: run.agent_id,
    agentName,
    deviceName: deviceNameOf(source, holder ?? (run.device_id === '' ? null : run.device_id)),
    startedAtMs: run.started_at_ms,
    endedAtMs: run.ended_at_ms,
    stepsDone: run.steps_done,
    stepsTotal: stepsTotalOf(source, run),
    lastEvent: run.phase === 'branching' ? progressText(source, run) : plainly(run.last_event),
  };
}

/** How far the branches are that a run waits for. */
export function progressText(source: ViewSource, run: RunRecord): string {
  const counted = readOne<{ total: number; ended: number }>(
    source.connection.db,
    `SELECT count(*) AS total, count(ending) AS ended FROM runs WHERE parent_run_id = ? AND parent_state_id = ? AND
       parent_state_visit = ?`,
    run.run_id,
    run.state_id,
    run.state_visit,
  );
  const states = source.strategyOf(run.revision_digest)?.states ?? {};
  const isFork = ownMember(states, run.state_id)?.type === 'fork';
  return `${counted?.ended ?? 0} of ${counted?.total ?? 0} ${isFork ? 'branches' : 'items'} have ended`;
}
