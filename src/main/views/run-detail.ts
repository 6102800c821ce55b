import type { RunDetailView, RunRow } from '../../shared/contract/views.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import { pauseState } from '../../shared/core/gate/hold.ts';
import type { HeldBy } from '../../shared/core/gate/hold.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { findCompacted } from '../store/compacted-runs.ts';
import { readOne } from '../store/connection.ts';
import { withBranches } from '../store/branches.ts';
import { holdOf } from '../store/holds.ts';
import { findRun } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { branchCounts, branchesText, branchingViews, outerRuns, placeOf } from './branches.ts';
import { effectStories, lanesOf } from './effect-stories.ts';
import { leaseView } from './lease.ts';
import { earlierOf, evidenceOf, runEvents } from './run-events.ts';
import { runGraph } from './run-graph.ts';
import { runRow } from './run-row.ts';
import { comingSteps, stateTitle, visitedSteps } from './steps.ts';
import { eventNames, timelineRows } from './timeline.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { momentText } from './words.ts';
import { whyViews } from './why.ts';

/** One run with everything its tabs show; `null` if there is no such run. */
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
  const visited = visitedSteps(source, { run, strategy, events, stories });
  const isOpen = run.ending === null && run.stop_requested === 0;
  const why = whyViews(events, names);
  return {
    sequence: sequenceOf(source),
    row,
    stateSentence: stateSentence(source, row, run),
    condensed: condensedSentence(source, run),
    lease: run.ending === null ? leaseView(source, run.agent_id) : null,
    canStop: isOpen,
    canPause: isOpen && holdOf(db, run) === null,
    canResume: isOpen && run.barrier_active === 1,
    attemptInDoubt: attemptInDoubt(source, run),
    approvalId: openApproval(source, run),
    within: outerRuns(source, run),
    branch: run.branch,
    ...runGraph(source, { run, strategy, steps: visited }),
    branchings: branchingViews(source, { run, strategy, events }),
    timeline: timelineRows(events, names),
    live: source.liveOf(run.run_id).map((each) => ({ ...each, text: visibleText(each.text) })),
    lanes: lanesOf(stories),
    steps: [...visited, ...comingSteps({ run, strategy }, visited)],
    why,
    evidence: evidenceOf(events),
    earlier: earlierOf(db, run, { events, steps: visited.length, why: why.length }),
  };
}

function condensedSentence({ connection }: ViewSource, run: RunRecord): string | null {
  if (findCompacted(connection.db, run.run_id) === null) return null;
  return 'The single steps of this run were condensed long after it ended. What it did, with every effect that must not happen again, is kept.';
}

/** A run and all that goes on inside it. */
const WITHIN = `(WITH RECURSIVE inside (run_id) AS (
    SELECT ? UNION ALL SELECT runs.run_id FROM inside JOIN runs ON runs.parent_run_id = inside.run_id
  ) SELECT run_id FROM inside)`;

/** The newest question about an unclear step of the run or of a branch. */
function attemptInDoubt(source: ViewSource, run: RunRecord): string | null {
  const row = readOne<{ attempt_token: string }>(
    source.connection.db,
    `SELECT attempt_token FROM attempts WHERE run_id IN ${WITHIN} AND in_doubt_at_ms IS NOT NULL AND progress <> 'settled'
       AND decision IS NULL ORDER BY in_doubt_at_ms DESC LIMIT 1`,
    run.run_id,
  );
  return row?.attempt_token ?? null;
}

/** The oldest open question of the run or of a branch. */
function openApproval(source: ViewSource, run: RunRecord): string | null {
  const row = readOne<{ approval_id: string }>(
    source.connection.db,
    `SELECT approval_id FROM approvals WHERE run_id IN ${WITHIN} AND state = 'open' ORDER BY asked_at_ms LIMIT 1`,
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
    'Needs you: unclear. We can’t tell whether a step happened. Nothing is sent again until you decide.',
  refused: () => 'Refused. Nothing was sent.',
  done: (row, _, nowMs) => `Done, ${momentText(row.endedAtMs ?? row.startedAtMs, nowMs)}`,
  'failed-nothing-sent': () => 'Failed. Nothing was sent.',
  'failed-was-sent': () => 'Failed after something was sent',
  stopped: (row, _, nowMs) =>
    `Stopped, ${momentText(row.endedAtMs ?? row.startedAtMs, nowMs)}. Nothing further is sent.`,
  missed: () => 'Missed: no device was awake.',
};

/** A pause is one only once nothing of the run is on its way any more. */
function pausedSentence({ connection }: ViewSource, row: RunRow, run: RunRecord): string | null {
  const held = holdOf(connection.db, run);
  if (held === null || run.ending !== null) return null;
  const runs = withBranches(connection.db, run);
  const state = pauseState(true, runs.filter((each) => each.phase === 'acting').length);
  if (state === 'pause-requested')
    return 'Pause requested. What is on its way is followed to its end; nothing new is sent.';
  // A person is needed whether or not it is paused, and that sentence says so.
  if (row.status === 'needs-approval' || row.status === 'needs-recovery') return null;
  return PAUSED[held];
}

const PAUSED: Readonly<Record<HeldBy, string>> = {
  run: 'Paused. Nothing is lost; it goes on when you resume it.',
  agent: 'Paused with its agent. Nothing is lost; it goes on when you resume the agent.',
  everything: 'Everything is paused. Nothing is lost; it goes on when you resume everything.',
};

/** It stands as its most urgent branch does, and says how far all of them are. */
function branchingSentence(source: ViewSource, row: RunRow, run: RunRecord): string {
  const state = ownMember(source.strategyOf(run.revision_digest)?.states ?? {}, run.state_id);
  const counts = branchCounts(source, placeOf(run, { stateId: run.state_id, stateVisit: run.state_visit }));
  const progress = branchesText(counts, state?.type === 'fork' ? 'fork' : 'workset');
  const sentence = SENTENCES[row.status](row, source.device.name, source.nowMs).replace(/\.$/u, '');
  return `${sentence}. ${progress}.`;
}

function stateSentence(source: ViewSource, row: RunRow, run: RunRecord): string {
  if (run.ending === null && run.stop_requested === 1)
    return 'Stopping. What is on its way is followed to its end; nothing further is sent.';
  const paused = pausedSentence(source, row, run);
  if (paused !== null) return paused;
  if (run.ending === null && run.phase === 'branching') return branchingSentence(source, row, run);
  if (row.status === 'waiting' && run.wait_until_ms !== null)
    return `Waiting until ${momentText(run.wait_until_ms, source.nowMs)}`;
  if (row.status === 'waiting' && run.phase === 'ready')
    return `Waiting for ${source.device.name} to get the right to act`;
  return SENTENCES[row.status](row, source.device.name, source.nowMs);
}
