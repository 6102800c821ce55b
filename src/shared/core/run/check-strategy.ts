import type { Strategy, StrategyState } from '../../contract/strategy.ts';
import { STRATEGY_STATE_LIMIT } from '../../contract/strategy.ts';
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
    for (const { key, to } of targets(state)) {
      if (!known.has(to)) faults.push({ path: ['states', name, ...key], message: `There is no state called "${to}".` });
    }
    faults.push(...checkApproval(strategy, name, state));
  }
  faults.push(...checkScope(strategy));
  if (!Object.values(strategy.states).some((state) => state.type === 'done')) {
    faults.push({ path: ['states'], message: 'A strategy needs a state of type "done", or it could never finish.' });
  }
  return faults;
}

/**
 * What a person grants must be readable before the run: folders may name inputs, which a person types, and nothing else.
 * The output of a step could widen what was granted.
 */
function checkScope(strategy: Strategy): readonly StrategyFault[] {
  const faults: StrategyFault[] = [];
  for (const key of ['folders', 'programs', 'hosts'] as const) {
    for (const [index, entry] of strategy.scope[key].entries()) {
      const places = templatePaths(entry);
      const isReadable = places.every((place) => key === 'folders' && place.startsWith('input.'));
      if (!isReadable) faults.push({ path: ['scope', key, String(index)], message: SCOPE_MESSAGES[key] });
    }
  }
  return faults;
}

const SCOPE_MESSAGES = {
  folders: 'A folder in the scope may name inputs only: a person must be able to read what is granted.',
  programs: 'A program in the scope is named as it is, without {{ }}: a person must be able to read what is granted.',
  hosts: 'A host in the scope is named as it is, without {{ }}: a person must be able to read what is granted.',
} as const;

function checkApproval(strategy: Strategy, name: string, state: StrategyState): readonly StrategyFault[] {
  if (state.type !== 'approve') return [];
  const guarded = ownMember(strategy.states, state.of);
  if (guarded === undefined || guarded.type === 'tool') return [];
  return [
    { path: ['states', name, 'of'], message: `"${state.of}" is not a tool state, so there is nothing to allow.` },
  ];
}

function targets(state: StrategyState): readonly { readonly key: readonly string[]; readonly to: string }[] {
  if (state.type === 'choice') {
    const branches = state.branches.map((branch, index) => ({ key: ['branches', String(index), 'to'], to: branch.to }));
    return [...branches, { key: ['otherwise'], to: state.otherwise }];
  }
  const found: { key: string[]; to: string }[] = [];
  for (const key of ['onSuccess', 'onFailure', 'onUnclear', 'of'] as const) {
    const to = (state as Partial<Record<typeof key, string>>)[key];
    if (to !== undefined) found.push({ key: [key], to });
  }
  return found;
}

/** The approve state that guards a tool state, if there is one: its effect then needs that answer. */
export function approvalFor(strategy: Strategy, toolStateId: string): string | null {
  for (const [name, state] of Object.entries(strategy.states)) {
    if (state.type === 'approve' && state.of === toolStateId) return name;
  }
  return null;
}
