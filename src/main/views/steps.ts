import type { RecordedEvent } from '../../shared/contract/events.ts';
import type { StateId } from '../../shared/contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import type { StepRow } from '../../shared/contract/views.ts';
import { effectKeyOf } from '../../shared/core/run/effect-key.ts';
import { nextState } from '../../shared/core/run/next-state.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { findApproval } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import type { EffectStory } from './effect-stories.ts';
import { TEXT_LIMIT_BYTES, textView } from './text.ts';
import type { ViewSource } from './view-source.ts';
import { clockText, durationText } from './words.ts';

/** The most visited steps in one answer, newest kept. */
const STEP_LIMIT = 200;
/** With more steps than this, their texts are cut shorter. */
const MANY_STEPS = 20;
const SHORT_TEXT_BYTES = 4 * 1024;

interface Visit {
  readonly stateId: StateId;
  readonly stateVisit: number;
  readonly approvalId: string | null;
  readonly isCurrent: boolean;
}

/** The steps a run has been at, then those that follow on the straight way. */
export function stepRows(
  source: ViewSource,
  of: {
    readonly run: RunRecord;
    readonly strategy: Strategy | null;
    readonly events: readonly RecordedEvent[];
    readonly stories: ReadonlyMap<string, EffectStory>;
  },
): StepRow[] {
  const { run, strategy, events, stories } = of;
  const visits = visitsOf(events, run).slice(-STEP_LIMIT);
  const limitBytes = visits.length > MANY_STEPS ? SHORT_TEXT_BYTES : TEXT_LIMIT_BYTES;
  const rows = visits.map((visit) => {
    const state = strategy === null ? undefined : ownMember(strategy.states, visit.stateId);
    return stepRow(source, {
      run,
      visit,
      state,
      story: stories.get(effectKeyOf(visit.stateId, visit.stateVisit)) ?? null,
      limitBytes,
    });
  });
  if (strategy === null || run.ending !== null) return rows;
  return [...rows, ...comingSteps(strategy, run.state_id, new Set(visits.map((visit) => visit.stateId)))];
}

function visitsOf(events: readonly RecordedEvent[], run: RunRecord): Visit[] {
  const visits: Visit[] = [];
  const approvals = new Map<string, string>();
  for (const event of events) {
    if (event.kind === 'approval.requested')
      approvals.set(`${event.payload.stateId}#${event.payload.stateVisit}`, event.payload.approvalId);
    if (event.kind !== 'run.entered') continue;
    const { stateId, stateVisit } = event.payload;
    visits.push({
      stateId,
      stateVisit,
      approvalId: null,
      isCurrent: stateId === run.state_id && stateVisit === run.state_visit,
    });
  }
  return visits.map((visit) => ({
    ...visit,
    approvalId: approvals.get(`${visit.stateId}#${visit.stateVisit}`) ?? null,
  }));
}

function stepRow(
  source: ViewSource,
  of: {
    readonly run: RunRecord;
    readonly visit: Visit;
    readonly state: StrategyState | undefined;
    readonly story: EffectStory | null;
    readonly limitBytes: number;
  },
): StepRow {
  const { visit, state, story, limitBytes } = of;
  const { db } = source.connection;
  const output = story?.settled?.output ?? null;
  const approval = visit.approvalId === null ? null : findApproval(db, visit.approvalId);
  const quiet = quietStatus(source, of, approval);
  return {
    stateId: visit.stateId,
    stateVisit: visit.stateVisit,
    title: stateTitle(visit.stateId, state),
    type: state?.type ?? 'tool',
    status: story?.status ?? quiet.status,
    attempts: story?.attempts ?? 0,
    effectKind: story?.intent.effectKind ?? null,
    input: story === null ? null : textView(db, story.intent.input, limitBytes),
    output: output === null ? null : textView(db, output, limitBytes),
    summary: story === null ? quiet.summary : story.summary,
  };
}

type Quiet = Pick<StepRow, 'status' | 'summary'>;

/** How a step stands that has no outside act of its own. */
function quietStatus(
  source: ViewSource,
  of: { readonly run: RunRecord; readonly visit: Visit; readonly state: StrategyState | undefined },
  approval: ReturnType<typeof findApproval>,
): Quiet {
  const { run, visit, state } = of;
  const isOpen = visit.isCurrent && run.ending === null;
  switch (state?.type) {
    case 'approve':
      return approval === null
        ? { status: isOpen ? 'waiting' : 'stopped', summary: '' }
        : approvalStatus(approval.state);
    case 'wait':
      if (!isOpen || run.wait_until_ms === null)
        return { status: visit.isCurrent && run.ending === 'stopped' ? 'stopped' : 'done', summary: '' };
      return {
        status: 'waiting',
        summary: `Until ${clockText(run.wait_until_ms)}, ${durationText(run.wait_until_ms - source.nowMs)} left`,
      };
    case 'fail':
      return { status: 'failed', summary: run.ending === null ? '' : run.last_event };
    case 'done':
    case 'choice':
      return { status: 'done', summary: '' };
    case 'tool':
    case undefined:
      if (isOpen) return { status: 'waiting', summary: '' };
      return {
        status: run.ending === 'stopped' ? 'stopped' : 'failed',
        summary: visit.isCurrent ? run.last_event : 'Nothing was sent',
      };
    default:
      return assertNever(state);
  }
}

function approvalStatus(state: NonNullable<ReturnType<typeof findApproval>>['state']): Quiet {
  switch (state) {
    case 'open':
      return { status: 'needs-approval', summary: 'Waits for your answer' };
    case 'allowed':
      return { status: 'done', summary: 'You allowed it once' };
    case 'not-allowed':
      return { status: 'refused', summary: 'You did not allow it. It was not sent.' };
    case 'expired':
      return { status: 'refused', summary: 'Nobody answered in time, so it was not sent' };
    case 'withdrawn':
      return { status: 'stopped', summary: 'The run ended before you answered' };
    default:
      return assertNever(state);
  }
}

/** What a step is called. */
export function stateTitle(stateId: string, state: StrategyState | undefined): string {
  return state?.title ?? stateId;
}

function comingSteps(strategy: Strategy, after: StateId, seen: Set<StateId>): StepRow[] {
  const rows: StepRow[] = [];
  let at: StateId | null = after;
  while (at !== null) {
    const state: StrategyState | undefined = ownMember(strategy.states, at);
    if (state === undefined) break;
    if (!seen.has(at)) rows.push(comingStep(at, state));
    seen.add(at);
    const next: StateId | null = state.type === 'choice' ? state.otherwise : nextState(state, 'success');
    at = next === null || seen.has(next) ? null : next;
  }
  return rows;
}

function comingStep(stateId: StateId, state: StrategyState): StepRow {
  const effectKind = state.type === 'tool' ? (state.effect?.kind ?? null) : null;
  return {
    stateId,
    stateVisit: 1,
    title: stateTitle(stateId, state),
    type: state.type,
    status: 'waiting',
    attempts: 0,
    effectKind,
    input: null,
    output: null,
    summary: '',
  };
}
