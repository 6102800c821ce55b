import type { StateId } from '../../contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../contract/strategy.ts';
import type { Result } from '../../lib/result.ts';
import { ownMember } from '../../lib/own-member.ts';
import { ok } from '../../lib/result.ts';
import type { SuccessorEdge } from '../successor/release-successors.ts';
import { fillTemplate } from './template.ts';
import type { TemplateScope } from './template.ts';

/** Which way a step went. */
export type StepResult = 'success' | 'failure' | 'unclear';

/** The state that follows; `null` if the strategy names none, and the run ends there. */
export function nextState(state: StrategyState, result: StepResult): StateId | null {
  if (state.type === 'done' || state.type === 'fail' || state.type === 'choice') return null;
  if (result === 'success') return state.onSuccess;
  if (result === 'unclear') return state.type === 'tool' ? (state.onUnclear ?? null) : null;
  return state.type === 'wait' ? null : (state.onFailure ?? null);
}

/** The edges that a step's result may release. */
export function edgesOf(
  strategy: Strategy,
  from: { readonly stateId: StateId; readonly stateVisit: number },
  result: StepResult,
): readonly SuccessorEdge[] {
  const state = ownMember(strategy.states, from.stateId);
  const toStateId = state === undefined ? null : nextState(state, result);
  if (toStateId === null) return [];
  return [{ fromStateId: from.stateId, fromStateVisit: from.stateVisit, toStateId }];
}

/** Takes the first branch whose condition holds. */
export function chooseBranch(
  state: Extract<StrategyState, { type: 'choice' }>,
  scope: TemplateScope,
): Result<StateId, string> {
  for (const branch of state.branches) {
    const value = fillTemplate(branch.value, scope);
    if (!value.ok) return value;
    const holds =
      (branch.is === undefined || value.value === branch.is) &&
      (branch.contains === undefined || value.value.includes(branch.contains)) &&
      (branch.atLeast === undefined || (value.value.trim() !== '' && Number(value.value) >= branch.atLeast));
    if (holds) return ok(branch.to);
  }
  return ok(state.otherwise);
}

/** The names of the tool steps that could still follow a state, in the order of the success path. */
export function laterSteps(strategy: Strategy, after: StateId | null): readonly string[] {
  const names: string[] = [];
  const seen = new Set<StateId>();
  let at = after;
  while (at !== null && !seen.has(at)) {
    seen.add(at);
    const state = ownMember(strategy.states, at);
    if (state === undefined) break;
    if (state.type === 'tool') names.push(state.title ?? at);
    at = state.type === 'choice' ? state.otherwise : nextState(state, 'success');
  }
  return names;
}
