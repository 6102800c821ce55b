import type { StateId } from '../../shared/contract/identifiers.ts';
import type { ModelCallView, ModelStepView, ModelTurnView } from '../../shared/contract/run-views.ts';
import type { ModelEndpoint } from '../../shared/contract/scope.ts';
import type { ModelState, Strategy } from '../../shared/contract/strategy.ts';
import type { StepRow } from '../../shared/contract/views.ts';
import { partKeyOf } from '../../shared/core/run/effect-key.ts';
import { modelActOf, nextModelAct } from '../../shared/core/run/model-loop.ts';
import type { ModelAnswer, ModelTurn } from '../../shared/core/run/model-loop.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import { recordedTurns } from '../store/model-turns.ts';
import type { RunRecord } from '../store/rows.ts';
import type { EffectStory } from './effect-stories.ts';
import { innerTextView, textView } from './text.ts';
import type { ViewSource } from './view-source.ts';
import { countText } from './words.ts';

/** The most calls of one turn that are shown. */
const CALL_LIMIT = 64;
const ANSWER_BYTES = 16 * 1024;
const CALL_BYTES = 4 * 1024;
const NEVER_MADE = 'It was never made: its id, its name or its arguments cannot be used. Nothing was sent.';

/** A visit of a state that asks a model, with all that its run knows about it. */
export interface ModelVisit {
  readonly run: RunRecord;
  readonly strategy: Strategy;
  readonly state: ModelState;
  readonly stateId: StateId;
  readonly stateVisit: number;
  readonly stories: ReadonlyMap<string, EffectStory>;
  /** Calls that no tool would take, by their effect's key. */
  readonly refusals: ReadonlyMap<string, string>;
  /** The most turns that are shown, newest kept. */
  readonly turnLimit: number;
}

/** Where a model step stands by its parts, and the parts; `null` if nothing was asked or the record cannot be read. */
export function modelStep(
  source: ViewSource,
  visit: ModelVisit,
): { readonly model: ModelStepView; readonly status: StepRow['status']; readonly summary: string } | null {
  const { run, stateId, stateVisit } = visit;
  const recorded = recordedTurns(source.connection.db, { runId: run.run_id, stateId, stateVisit });
  if (!recorded.ok) return null;
  const answered = recorded.value.turns;
  const endpoint = ownMember(visit.strategy.scope.models, visit.state.model);
  const numbers = [...answered.keys()].map((index) => index + 1);
  if (storyOf(visit, answered.length + 1, null) !== null) numbers.push(answered.length + 1);
  if (numbers.length === 0) return null;
  const shown = numbers.slice(-visit.turnLimit);
  const turns = shown.map((turn) => turnView(source, { visit, turn, answered, endpoint }));
  const total = sumOf(answered);
  const tokens = total.inputTokens + total.outputTokens;
  const next = nextModelAct(visit.state, { prompt: '', turns: answered, endpoint });
  const isAnswered = next.kind === 'over' && next.result.kind === 'success';
  return {
    model: { ...total, cost: costOf(total, endpoint), turns, turnsBefore: numbers.length - shown.length },
    status: statusOf(turns, { visit, isAnswered }),
    summary: `${countText(numbers.length, 'turn')}, ${tokens.toLocaleString('en')} tokens`,
  };
}

type Usage = ModelAnswer['usage'];

function sumOf(turns: readonly ModelTurn[]): Usage {
  const sum = (of: (usage: Usage) => number): number => turns.reduce((total, turn) => total + of(turn.answer.usage), 0);
  return { inputTokens: sum((usage) => usage.inputTokens), outputTokens: sum((usage) => usage.outputTokens) };
}

function costOf(usage: Usage, endpoint: ModelEndpoint | undefined): number | null {
  const { inputPricePerMillion: input, outputPricePerMillion: output } = endpoint ?? {};
  if (input === undefined || output === undefined) return null;
  return (usage.inputTokens * input + usage.outputTokens * output) / 1_000_000;
}

/** How the newest part stands, while the step goes on; afterwards whether the model gave an answer. */
function statusOf(
  turns: readonly ModelTurnView[],
  { visit, isAnswered }: { readonly visit: ModelVisit; readonly isAnswered: boolean },
): StepRow['status'] {
  const { run } = visit;
  if (isAnswered) return 'done';
  const isCurrent = run.state_id === visit.stateId && run.state_visit === visit.stateVisit;
  const parts = [...turns, ...turns.flatMap((turn) => turn.calls)].map((part) => part.status);
  if (parts.includes('unclear')) return 'unclear';
  if (isCurrent && run.ending === null)
    return parts.includes('running') || run.phase !== 'waiting' ? 'running' : 'waiting';
  return isCurrent && run.ending === 'stopped' ? 'stopped' : 'failed';
}

function storyOf(visit: ModelVisit, turn: number, callId: string | null): EffectStory | null {
  return visit.stories.get(partKeyOf(visit.stateId, visit.stateVisit, { turn, callId })) ?? null;
}

interface TurnPlace {
  readonly visit: ModelVisit;
  readonly turn: number;
  readonly answered: readonly ModelTurn[];
  readonly endpoint: ModelEndpoint | undefined;
}

function turnView(source: ViewSource, place: TurnPlace): ModelTurnView {
  const { visit, turn, answered, endpoint } = place;
  const story = storyOf(visit, turn, null);
  const answer = answered[turn - 1]?.answer ?? null;
  return {
    turn,
    status: story?.status ?? (answer === null ? 'waiting' : 'done'),
    summary: story?.summary ?? '',
    answer:
      answer === null || answer.text === ''
        ? null
        : innerTextView(answer.text, story?.settled?.output.digest ?? '', { limitBytes: ANSWER_BYTES }),
    inputTokens: answer?.usage.inputTokens ?? null,
    outputTokens: answer?.usage.outputTokens ?? null,
    cost: answer === null ? null : costOf(answer.usage, endpoint),
    tries: story?.tries ?? [],
    calls: (answer?.calls ?? []).slice(0, CALL_LIMIT).map((call) => callView(source, place, call)),
  };
}

function callView(source: ViewSource, place: TurnPlace, call: ModelAnswer['calls'][number]): ModelCallView {
  const { visit, turn, answered } = place;
  const story = storyOf(visit, turn, call.id);
  const digest = storyOf(visit, turn, null)?.settled?.output.digest ?? '';
  const about = {
    callId: call.id,
    name: call.name,
    arguments: innerTextView(call.arguments, digest, { limitBytes: CALL_BYTES }),
  };
  if (story === null) {
    const refusal = visit.refusals.get(partKeyOf(visit.stateId, visit.stateVisit, { turn, callId: call.id }));
    const isMade = modelActOf(visit.state, { prompt: '', turns: answered }, { turn, callId: call.id }) !== null;
    const summary = refusal ?? (isMade ? '' : NEVER_MADE);
    const status = summary === '' ? 'waiting' : 'refused';
    return { ...about, status, summary, effectKind: null, result: null, tries: [] };
  }
  return {
    ...about,
    status: story.status,
    summary: story.summary,
    effectKind: story.intent.effectKind,
    result: story.settled === null ? null : textView(source.connection.db, story.settled.output, CALL_BYTES),
    tries: story.tries,
  };
}
