import type { StateId } from '../../contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../contract/strategy.ts';
import { STRATEGY_EDGE_LIMIT, STRATEGY_STATE_LIMIT } from '../../contract/strategy.ts';
import { checkParts, checkTemplates, edgeTargets } from './check-state.ts';
import { templatePaths } from './template.ts';
import { ownMember } from '../../lib/own-member.ts';

/** Something wrong inside a well-formed strategy, at a path such as `['states', 'post', 'onSuccess']`. */
export interface StrategyFault {
  readonly path: readonly string[];
  readonly message: string;
}

/** What a schema cannot say: every edge leads somewhere, and every run can end. */
export function checkStrategy(strategy: Strategy): readonly StrategyFault[] {
  const names = Object.keys(strategy.states);
  if (names.length > STRATEGY_STATE_LIMIT) {
    return [{ path: ['states'], message: `A strategy may have at most ${STRATEGY_STATE_LIMIT} states.` }];
  }
  const faults: StrategyFault[] = [];
  const known = new Set(names);
  if (!known.has(strategy.start)) {
    faults.push({ path: ['start'], message: `There is no state called "${strategy.start}".` });
  }
  for (const [name, state] of Object.entries(strategy.states)) {
    for (const { key, to } of edgeTargets(state)) {
      if (!known.has(to)) faults.push({ path: ['states', name, ...key], message: `There is no state called "${to}".` });
    }
    faults.push(...checkApproval(strategy, name, state), ...checkParts(strategy, name, state));
  }
  const edges = Object.values(strategy.states).reduce((count, state) => count + edgeTargets(state).length, 0);
  if (edges > STRATEGY_EDGE_LIMIT)
    faults.push({ path: ['states'], message: `A strategy may have at most ${STRATEGY_EDGE_LIMIT} edges.` });
  faults.push(...checkTemplates(strategy.summary, ['summary']), ...checkScope(strategy));
  if (!Object.values(strategy.states).some((state) => state.type === 'done')) {
    faults.push({ path: ['states'], message: 'A strategy needs a state of type "done", or it could never finish.' });
  }
  return faults;
}

/** An input, which a person types, and nothing computed from it: an expression could add the output of a step. */
const INPUT = /^input\.[A-Za-z0-9]+$/u;

/**
 * What a person grants must be readable before the run: folders may name inputs, which a person types, and nothing else may
 * name anything. The output of a step could widen what was granted.
 */
function checkScope(strategy: Strategy): readonly StrategyFault[] {
  const faults: StrategyFault[] = [];
  const walk = (path: readonly string[], value: unknown): void => {
    if (typeof value === 'string') {
      const isFolder = path[1] === 'folders';
      const isReadable = templatePaths(value).every((place) => isFolder && INPUT.test(place));
      if (!isReadable) faults.push({ path, message: isFolder ? FOLDER_MESSAGE : SCOPE_MESSAGE });
    } else if (value !== null && typeof value === 'object') {
      for (const [key, member] of Object.entries(value)) walk([...path, key], member);
    }
  };
  walk(['scope'], strategy.scope);
  return faults;
}

const FOLDER_MESSAGE = 'A folder in the scope may name inputs only: a person must be able to read what is granted.';
const SCOPE_MESSAGE = 'The scope is written as it is, without {{ }}: a person must be able to read what is granted.';

function checkApproval(strategy: Strategy, name: string, state: StrategyState): readonly StrategyFault[] {
  if (state.type !== 'approve') return [];
  const guarded = ownMember(strategy.states, state.of);
  if (guarded === undefined || guarded.type === 'tool' || guarded.type === 'script') return [];
  return [
    { path: ['states', name, 'of'], message: `"${state.of}" is not a tool state, so there is nothing to allow.` },
  ];
}

/** The approve state that guards a tool state, if there is one: its effect then needs that answer. */
export function approvalFor(strategy: Strategy, toolStateId: string): StateId | null {
  for (const [name, state] of Object.entries(strategy.states)) {
    if (state.type === 'approve' && state.of === toolStateId) return name as StateId;
  }
  return null;
}
