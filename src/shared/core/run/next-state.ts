import type { StateId } from '../../contract/identifiers.ts';
import type { Strategy, StrategyEdge, StrategyState } from '../../contract/strategy.ts';
import type { Result } from '../../lib/result.ts';
import { ownMember } from '../../lib/own-member.ts';
import { ok } from '../../lib/result.ts';
import type { FailureClass } from '../effect/effect-outcome.ts';
import type { SuccessorEdge } from '../successor/release-successors.ts';
import { conditionHolds } from './expression.ts';
import { fillTemplate } from './template.ts';
import type { TemplateScope } from './template.ts';

/** Which way a step went. */
export type StepResult =
  | { readonly kind: 'success' }
  | { readonly kind: 'failure'; readonly class: FailureClass }
  | { readonly kind: 'unclear' };

/** One way out of a state, as it stands in the strategy. */
interface Way {
  readonly class?: string | undefined;
  readonly when?: string | undefined;
  readonly to: StateId;
}

/** All ways out of a state for one kind of result, in the order in which they are tried. */
export function waysOut(state: StrategyState, kind: StepResult['kind']): readonly Way[] {
  switch (state.type) {
    case 'done':
    case 'fail':
      return [];
    case 'choice':
      return kind === 'success' ? [...state.branches, { to: state.otherwise }].map(({ to }) => ({ to })) : [];
    case 'fork':
      return kind === 'success' ? [{ to: state.join }] : [];
    case 'wait':
      return kind === 'success' ? waysOf(state.onSuccess) : [];
    default:
      if (kind === 'success') return waysOf(state.onSuccess);
      if (kind === 'failure') return waysOf(state.onFailure);
      return 'onUnclear' in state ? waysOf(state.onUnclear) : [];
  }
}

function waysOf(edge: StrategyEdge | undefined): readonly Way[] {
  if (edge === undefined) return [];
  return typeof edge === 'string' ? [{ to: edge }] : edge;
}

/** The state that follows; `null` if none does, and the run ends there. The first way whose conditions hold is taken. */
export function nextState(
  state: StrategyState,
  result: StepResult,
  scope: TemplateScope,
): Result<StateId | null, string> {
  if (state.type === 'choice' && result.kind === 'success') return chooseBranch(state, scope);
  for (const way of waysOut(state, result.kind)) {
    if (way.class !== undefined && (result.kind !== 'failure' || way.class !== result.class)) continue;
    const holds = way.when === undefined ? ok(true) : conditionHolds(way.when, scope);
    if (!holds.ok) return holds;
    if (holds.value) return ok(way.to);
  }
  return ok(null);
}

/** Where a state leads if nothing special happens: the way without a condition. For telling a person beforehand. */
export function usualNext(state: StrategyState, kind: StepResult['kind']): StateId | null {
  const ways = waysOut(state, kind);
  const usual = ways.find((way) => way.when === undefined && way.class === undefined) ?? ways[0];
  return usual?.to ?? null;
}

/** The edges that a step's result may release. */
export function edgesOf(
  strategy: Strategy,
  from: { readonly stateId: StateId; readonly stateVisit: number },
  { result, scope }: { readonly result: StepResult; readonly scope: TemplateScope },
): Result<readonly SuccessorEdge[], string> {
  const state = ownMember(strategy.states, from.stateId);
  const next: Result<StateId | null, string> = state === undefined ? ok(null) : nextState(state, result, scope);
  if (!next.ok) return next;
  if (next.value === null) return ok([]);
  return ok([{ fromStateId: from.stateId, fromStateVisit: from.stateVisit, toStateId: next.value }]);
}

/** Takes the first branch whose conditions hold. */
export function chooseBranch(
  state: Extract<StrategyState, { type: 'choice' }>,
  scope: TemplateScope,
): Result<StateId, string> {
  for (const branch of state.branches) {
    const condition = branch.when === undefined ? ok(true) : conditionHolds(branch.when, scope);
    if (!condition.ok) return condition;
    const value = branch.value === undefined ? null : fillTemplate(branch.value, scope);
    if (value?.ok === false) return value;
    if (condition.value && (value === null || matches(branch, value.value))) return ok(branch.to);
  }
  return ok(state.otherwise);
}

function matches(
  branch: { is?: string | undefined; contains?: string | undefined; atLeast?: number | undefined },
  value: string,
): boolean {
  return (
    (branch.is === undefined || value === branch.is) &&
    (branch.contains === undefined || value.includes(branch.contains)) &&
    (branch.atLeast === undefined || (value.trim() !== '' && Number(value) >= branch.atLeast))
  );
}

/** The names of the acting steps that could still follow a state, in the order of the usual path. */
export function laterSteps(strategy: Strategy, after: StateId | null): readonly string[] {
  const names: string[] = [];
  const seen = new Set<StateId>();
  let at = after;
  while (at !== null && !seen.has(at)) {
    seen.add(at);
    const state = ownMember(strategy.states, at);
    if (state === undefined) break;
    if (isActing(state)) names.push(state.title ?? at);
    at = state.type === 'choice' ? state.otherwise : usualNext(state, 'success');
  }
  return names;
}

/** Whether effects are caused in a state. */
export function isActing(state: StrategyState): state is Extract<StrategyState, { type: 'tool' | 'script' | 'model' }> {
  return state.type === 'tool' || state.type === 'script' || state.type === 'model';
}
