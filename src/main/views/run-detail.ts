import type { RunDetailView, RunRow } from '../../shared/contract/views.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { readOne } from '../store/connection.ts';
import { findRun } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { effectStories, lanesOf } from './effect-stories.ts';
import { leaseView } from './lease.ts';
import { evidenceOf, runEvents } from './run-events.ts';
import { runRow } from './run-row.ts';
import { stateTitle, stepRows } from './steps.ts';
import { eventNames, timelineRows } from './timeline.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { momentText } from './words.ts';
import { whyViews } from './why.ts';

/** One run with everything its four tabs show; `null` if there is no such run. */
export function runDetailView(source: ViewSource, runId: string): RunDetailView | null {
  const { db } = source.connection;
  const run = findRun(db, runId);
  if (run === null) return null;
  const strategy = source.strategyOf(run.revision_digest);
  const events = runEvents(db, run);
  const names = eventNames(source, events, (stateId) =>
    stateTitle(stateId, strategy === null ? undefined : ownMember(strategy.states, stateId)),
  );
  const stories = effectStories(events);
  const row = runRow(source, run);
  const isOpen = run.ending === null && run.stop_requested === 0;
  return {
    sequence: sequenceOf(source),
    row,
    stateSentence: stateSentence(source, row, run),
    lease: run.ending === null ? leaseView(source, run.agent_id) : null,
    canStop: isOpen,
    canPause: isOpen && run.barrier_active === 0,
    canResume: isOpen && run.barrier_active === 1,
    attemptInDoubt: attemptInDoubt(source, run),
    approvalId: openApproval(source, run),
    timeline: timelineRows(events, names),
    lanes: lanesOf(stories),
    steps: stepRows(source, { run, strategy, events, stories }),
    why: whyViews(events, names),
    evidence: evidenceOf(events),
  };
}

function attemptInDoubt(source: ViewSource, run: RunRecord): string | null {
  const row = readOne<{ attempt_token: string }>(
    source.connection.db,
    `SELECT attempt_token FROM attempts WHERE run_id = ? AND in_doubt_at_ms IS NOT NULL AND progress <> 'settled' AND decision IS NULL
     ORDER BY in_doubt_at_ms DESC LIMIT 1`,
    run.run_id,
  );
  return row?.attempt_token ?? null;
}

function openApproval(source: ViewSource, run: RunRecord): string | null {
  const row = readOne<{ approval_id: string }>(
    source.connection.db,
    `SELECT approval_id FROM approvals WHERE run_id = ? AND state = 'open' LIMIT 1`,
    run.run_id,
  );
  return row?.approval_id ?? null;
}

const SENTENCES: Readonly<Record<RunStatus, (row: RunRow, device: string, nowMs: number) => string>> = {
  waiting: () => 'Waiting',
  'running-here': (row, _, nowMs) => `Running on ${row.deviceName} since ${momentText(row.startedAtMs, nowMs)}`,
  'running-elsewhere': (row, device) =>
    `Running on ${row.deviceName === 'Another device' ? 'another device' : row.deviceName}, viewed from ${device}`,
  'needs-approval': () => 'Needs you: approve. Nothing is sent until you answer.',
  'needs-recovery': () =>
    "Needs you: unclear. We can't tell whether a step happened. Nothing is sent again until you decide.",
  refused: () => 'Refused. Nothing was sent.',
  done: (row, _, nowMs) => `Done, ${momentText(row.endedAtMs ?? row.startedAtMs, nowMs)}`,
  'failed-nothing-sent': () => 'Failed. Nothing was sent.',
  'failed-was-sent': () => 'Failed after something was sent',
  stopped: (row, _, nowMs) =>
    `Stopped, ${momentText(row.endedAtMs ?? row.startedAtMs, nowMs)}. Nothing further is sent.`,
  missed: () => 'Missed: no device was awake.',
};

function stateSentence(source: ViewSource, row: RunRow, run: RunRecord): string {
  if (run.ending === null && run.stop_requested === 1)
    return 'Stopping. What is on its way is followed to its end; nothing further is sent.';
  if (row.status === 'waiting' && run.barrier_active === 1)
    return 'Paused. Nothing is lost; it goes on when you resume it.';
  if (row.status === 'waiting' && run.wait_until_ms !== null)
    return `Waiting until ${momentText(run.wait_until_ms, source.nowMs)}`;
  if (row.status === 'waiting' && run.phase === 'ready')
    return `Waiting for ${source.device.name} to get the right to act`;
  return SENTENCES[row.status](row, source.device.name, source.nowMs);
}
