import type { EffectKey } from '../../shared/contract/identifiers.ts';
import type { ModelState, Strategy } from '../../shared/contract/strategy.ts';
import type { EffectDeclaration, ToolCall } from '../../shared/contract/tool-calls.ts';
import type { Json } from '../../shared/lib/canonical-json.ts';
import { effectKeyOf, isUndoKey, partKeyOf, partOfKey } from '../../shared/core/run/effect-key.ts';
import { modelActOf, nextModelAct, offeredTools } from '../../shared/core/run/model-loop.ts';
import type { ModelAct, ModelPart } from '../../shared/core/run/model-loop.ts';
import type { StepResult } from '../../shared/core/run/next-state.ts';
import { fillTemplate } from '../../shared/core/run/template.ts';
import { ownMember } from '../../shared/lib/own-member.ts';
import type { Connection } from '../store/connection.ts';
import { recordedTurns } from '../store/model-turns.ts';
import type { RecordedTurns } from '../store/model-turns.ts';
import type { FailedAttempt, RunRecord } from '../store/rows.ts';
import { templateScope } from '../store/run-scope.ts';

/** One effect that a step calls for: all that depends on the strategy and on what was recorded before. */
export interface Act {
  readonly effectKey: EffectKey;
  /** In a person's words; `null` leaves it to the tool. */
  readonly title: string | null;
  readonly call: ToolCall;
  readonly effect: EffectDeclaration | undefined;
  /** What a model gave as arguments; untrusted. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether a person is asked about this very call first. */
  readonly asks: boolean;
  /** The call is sent as it is: nothing in it is a place to fill in. */
  readonly isFilledIn: boolean;
}

/** What a step does next. */
export type NextAct =
  | { readonly kind: 'act'; readonly act: Act }
  /** The step is over without another effect; unless what it ended with, `failed`, is to be tried again. */
  | {
      readonly kind: 'over';
      readonly result: StepResult;
      readonly output: Json;
      readonly summary: string;
      readonly failed: FailedAttempt | null;
    };

/** What the run's current step does next, or a sentence that says why nobody can tell. */
export function nextAct(connection: Connection, run: RunRecord, strategy: Strategy): NextAct | string {
  const state = ownMember(strategy.states, run.state_id);
  if (state?.type === 'tool' || state?.type === 'script')
    return { kind: 'act', act: ownAct(effectKeyOf(run.state_id, run.state_visit), state) };
  if (state?.type !== 'model') return `The state ${run.state_id} causes no effects.`;
  const place = { runId: run.run_id, stateId: run.state_id, stateVisit: run.state_visit };
  const recorded = recordedTurns(connection.db, place);
  return recorded.ok ? nextOfModel(connection, run, { strategy, state, recorded: recorded.value }) : recorded.error;
}

interface ModelStep {
  readonly strategy: Strategy;
  readonly state: ModelState;
  readonly recorded: RecordedTurns;
}

function nextOfModel(connection: Connection, run: RunRecord, step: ModelStep): NextAct | string {
  const { strategy, state, recorded } = step;
  const prompt = fillTemplate(state.prompt, templateScope(connection.db, run));
  if (!prompt.ok) return prompt.error;
  const endpoint = ownMember(strategy.scope.models, state.model);
  const next = nextModelAct(state, { prompt: prompt.value, turns: recorded.turns, endpoint });
  const { failure } = recorded;
  // A question that failed is asked again only after the wait that its policy gave it.
  if (failure !== null && run.phase !== 'waiting')
    return { kind: 'over', result: failure.outcome, output: null, summary: failure.summary, failed: failure };
  if (next.kind === 'over')
    return { kind: 'over', result: next.result, output: { ...next.output }, summary: next.summary, failed: null };
  return modelAct(connection, run, { ...step, next });
}

function modelAct(
  connection: Connection,
  run: RunRecord,
  of: ModelStep & { next: Exclude<ModelAct, { kind: 'over' }> },
): NextAct | string {
  const { state, next } = of;
  if (next.kind === 'call') {
    const { turn, callId, offered, args } = next;
    const key = partKeyOf(run.state_id, run.state_visit, { turn, callId });
    const { use, serverTool } = offered;
    if ('server' in use) {
      // The model's own words: they are arguments, whatever they look like.
      const call = { tool: 'mcp.call', server: use.server, name: serverTool ?? '', arguments: args } as ToolCall;
      return {
        kind: 'act',
        act: { effectKey: key, title: null, call, effect: undefined, args, asks: use.ask, isFilledIn: true },
      };
    }
    const { call, effect } = use;
    return { kind: 'act', act: { effectKey: key, title: null, call, effect, args, asks: use.ask, isFilledIn: false } };
  }
  const system = fillTemplate(state.system, templateScope(connection.db, run));
  if (!system.ok) return system.error;
  const call: ToolCall = {
    tool: 'model.call',
    model: state.model,
    system: system.value,
    messages: [...next.messages],
    tools: offeredTools(state).map(({ name, use }) => ({
      name,
      description: 'description' in use ? use.description : '',
      parameters: 'parameters' in use ? use.parameters : {},
    })),
    maxOutputTokens: state.maxOutputTokens,
    ...(state.timeoutMs === undefined ? {} : { timeoutMs: state.timeoutMs }),
  };
  const effectKey = partKeyOf(run.state_id, run.state_visit, { turn: next.turn, callId: null });
  return {
    kind: 'act',
    act: { effectKey, title: state.title ?? null, call, effect: undefined, args: {}, asks: false, isFilledIn: true },
  };
}

function ownAct(
  effectKey: EffectKey,
  state: { title?: string | undefined; call: ToolCall; effect?: EffectDeclaration | undefined },
): Act {
  const { title = null, call, effect } = state;
  return { effectKey, title, call, effect, args: {}, asks: false, isFilledIn: false };
}

/** The act that undoes an act, where its strategy declares one; otherwise the act itself. */
export function undoOf(act: Act): Act {
  return act.effect?.kind === 'compensable' ? { ...act, call: act.effect.undo, effect: undefined } : act;
}

/** The act that an attempt was made at, found again from the record; `null` if the strategy has no such step. */
export function actAgain(
  connection: Connection,
  run: RunRecord,
  of: { strategy: Strategy; place: Pick<RunRecord, 'state_id' | 'state_visit'>; effectKey: EffectKey },
): Act | null {
  const { strategy, place, effectKey } = of;
  const then = { ...run, state_id: place.state_id, state_visit: place.state_visit };
  const state = ownMember(strategy.states, place.state_id);
  const part = partOfKey(effectKey);
  const found =
    state?.type === 'model' && part !== null
      ? partAgain(connection, then, { strategy, state, part })
      : nextAct(connection, then, strategy);
  if (found === null || typeof found === 'string' || found.kind === 'over') return null;
  return isUndoKey(effectKey) ? undoOf(found.act) : found.act;
}

function partAgain(
  connection: Connection,
  run: RunRecord,
  of: { strategy: Strategy; state: ModelState; part: ModelPart },
): NextAct | string | null {
  const { strategy, state, part } = of;
  const place = { runId: run.run_id, stateId: run.state_id, stateVisit: run.state_visit };
  const recorded = recordedTurns(connection.db, place);
  const prompt = fillTemplate(state.prompt, templateScope(connection.db, run));
  if (!recorded.ok || !prompt.ok) return null;
  const next = modelActOf(state, { prompt: prompt.value, turns: recorded.value.turns }, part);
  return next === null ? null : modelAct(connection, run, { strategy, state, recorded: recorded.value, next });
}
