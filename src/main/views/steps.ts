import type { EventPayloads, RecordedEvent } from '../../shared/contract/events.ts';
import type { StateId } from '../../shared/contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import type { StepRow } from '../../shared/contract/views.ts';
import { effectKeyOf } from '../../shared/core/run/effect-key.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { findApproval } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { kindOfCall } from './agent-graph.ts';
import type { EffectStory } from './effect-stories.ts';
import { plainly } from './failure-words.ts';
import { modelStep } from './model-step.ts';
import { quietStatus } from './quiet-status.ts';
import { endsOf, straightWay } from './straight-way.ts';
import { TEXT_LIMIT_BYTES, textView } from './text.ts';
import type { ViewSource } from './view-source.ts';

/** The most visited steps in one answer, newest kept. */
const STEP_LIMIT = 200;
/** With more steps than this, their texts are cut shorter. */
const MANY_STEPS = 20;
const SHORT_TEXT_BYTES = 4 * 1024;
/** How many turns of a model a step shows, and how many where there are many steps. */
const TURN_LIMIT = 24;
const SHORT_TURN_LIMIT = 2;

interface Visit {
  readonly stateId: StateId;
  readonly stateVisit: number;
  readonly approvalId: string | null;
  readonly concluded: EventPayloads['run.concluded'] | null;
  readonly isCurrent: boolean;
}

/** A run with all that its steps are told from. */
export interface StepFacts {
  readonly run: RunRecord;
  readonly strategy: Strategy | null;
  readonly events: readonly RecordedEvent[];
  readonly stories: ReadonlyMap<string, EffectStory>;
}

/** The steps a run has been at. */
export function visitedSteps(source: ViewSource, of: StepFacts): StepRow[] {
  const visits = visitsOf(of.events, of.run).slice(-STEP_LIMIT);
  const refusals = new Map(
    of.events.flatMap((event) =>
      event.kind === 'intent.refused' ? [[event.payload.effect.effectKey as string, event.payload.message]] : [],
    ),
  );
  return visits.map((visit) => stepRow(source, visit, { ...of, refusals, isOneOfMany: visits.length > MANY_STEPS }));
}

/** The steps that follow on the straight way, as far as they have not been visited. */
export function comingSteps(of: Pick<StepFacts, 'run' | 'strategy'>, visited: readonly StepRow[]): StepRow[] {
  const { run, strategy } = of;
  if (strategy === null || run.ending !== null) return [];
  const seen = new Set(visited.map((step) => step.stateId));
  return straightWay(strategy, run.state_id, endsOf(strategy, run))
    .filter(({ stateId }) => !seen.has(stateId))
    .map(({ stateId, state }) => comingStep(stateId, state, strategy));
}

function visitsOf(events: readonly RecordedEvent[], run: RunRecord): Visit[] {
  const visits: Visit[] = [];
  const approvals = new Map<string, string>();
  const concluded = new Map<string, EventPayloads['run.concluded']>();
  for (const event of events) {
    if (event.kind === 'approval.requested')
      approvals.set(`${event.payload.stateId}#${event.payload.stateVisit}`, event.payload.approvalId);
    if (event.kind === 'run.concluded')
      concluded.set(`${event.payload.stateId}#${event.payload.stateVisit}`, event.payload);
    if (event.kind !== 'run.entered') continue;
    const { stateId, stateVisit } = event.payload;
    const isCurrent = stateId === run.state_id && stateVisit === run.state_visit;
    visits.push({ stateId, stateVisit, approvalId: null, concluded: null, isCurrent });
  }
  return visits.map((visit) => ({
    ...visit,
    approvalId: approvals.get(`${visit.stateId}#${visit.stateVisit}`) ?? null,
    concluded: concluded.get(`${visit.stateId}#${visit.stateVisit}`) ?? null,
  }));
}

function stepRow(
  source: ViewSource,
  visit: Visit,
  of: StepFacts & { readonly refusals: ReadonlyMap<string, string>; readonly isOneOfMany: boolean },
): StepRow {
  const { run, strategy, stories, isOneOfMany } = of;
  const { stateId, stateVisit } = visit;
  const { db } = source.connection;
  const limitBytes = isOneOfMany ? SHORT_TEXT_BYTES : TEXT_LIMIT_BYTES;
  const state = strategy === null ? undefined : ownMember(strategy.states, stateId);
  const story = stories.get(effectKeyOf(stateId, stateVisit)) ?? null;
  const output = story?.settled?.output ?? visit.concluded?.output ?? null;
  const turnLimit = isOneOfMany && !visit.isCurrent ? SHORT_TURN_LIMIT : TURN_LIMIT;
  const asked =
    strategy !== null && state?.type === 'model'
      ? modelStep(source, { ...of, strategy, state, stateId, stateVisit, turnLimit })
      : null;
  const quiet = quietStatus(source, {
    run,
    state,
    visit: {
      ...visit,
      concluded: visit.concluded?.summary ?? null,
      approval: visit.approvalId === null ? null : findApproval(db, visit.approvalId),
    },
  });
  const own = story ?? asked ?? quiet;
  return {
    stateId,
    stateVisit,
    title: stateTitle(stateId, state),
    type: state?.type ?? 'tool',
    status: own.status,
    attempts: story?.attempts ?? 0,
    effectKind: story?.intent.effectKind ?? null,
    input: story === null ? null : textView(db, story.intent.input, limitBytes),
    output: output === null ? null : textView(db, output, limitBytes),
    summary: plainly(
      asked === null ? own.summary : [visit.concluded?.summary, asked.summary].filter(Boolean).join('. '),
    ),
    tries: story?.tries ?? [],
    model: asked?.model ?? null,
  };
}

/** What a step is called. */
export function stateTitle(stateId: string, state: StrategyState | undefined): string {
  return state?.title ?? stateId;
}

function comingStep(stateId: StateId, state: StrategyState, { scope }: Strategy): StepRow {
  return {
    stateId,
    stateVisit: 1,
    title: stateTitle(stateId, state),
    type: state.type,
    status: 'waiting',
    attempts: 0,
    effectKind: 'call' in state ? kindOfCall(state.call, state.effect, { scope }) : null,
    input: null,
    output: null,
    summary: '',
    tries: [],
    model: null,
  };
}
