import type { ModelState, ModelToolUse, Strategy, StrategyState } from '../../contract/strategy.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import { ownMember } from '../../lib/own-member.ts';
import type { StrategyFault } from './check-strategy.ts';
import { expressionFault } from './expression.ts';
import { offeredTools } from './model-loop.ts';
import { placeFault, templatePaths } from './template.ts';

/** Every place of a state that names another state. */
export function edgeTargets(state: StrategyState): readonly { readonly key: readonly string[]; readonly to: string }[] {
  const found: { key: readonly string[]; to: string }[] = [];
  const add = (key: readonly string[], value: unknown): void => {
    if (typeof value === 'string') found.push({ key, to: value });
    if (Array.isArray(value))
      for (const [index, way] of (value as { to: string }[]).entries())
        found.push({ key: [...key, String(index), 'to'], to: way.to });
  };
  const fields = state as Readonly<Record<string, unknown>>;
  for (const key of ['onSuccess', 'onFailure', 'onUnclear', 'of', 'do', 'join', 'otherwise']) add([key], fields[key]);
  if (state.type === 'choice') add(['branches'], state.branches);
  if (state.type === 'fork')
    for (const [name, to] of Object.entries(state.branches)) found.push({ key: ['branches', name], to });
  return found;
}

/** What is wrong inside one state, beyond the places that it leads to. */
export function checkParts(strategy: Strategy, name: string, state: StrategyState): readonly StrategyFault[] {
  const at = (path: readonly string[], message: string): StrategyFault => ({
    path: ['states', name, ...path],
    message,
  });
  const faults = expressionsOf(state).flatMap(({ path, text }) => {
    const fault = expressionFault(text);
    return fault === null ? [] : [at(path, `This expression cannot be used: ${fault}`)];
  });
  for (const { path, message } of checkTemplates(state)) faults.push(at(path, message));
  if (state.type === 'fork') faults.push(...checkFork(strategy, state, at));
  if (state.type === 'join' && forksInto(strategy, name) === 0)
    faults.push(at([], 'No fork ends in this join, so nothing could ever arrive.'));
  if (state.type === 'model') faults.push(...checkModel(strategy, state, at));
  if ('onSuccess' in state && Array.isArray(state.onSuccess) && state.onSuccess.at(-1)?.when !== undefined)
    faults.push(at(['onSuccess'], 'The last way needs to be without a condition, or a success could lead nowhere.'));
  const acting = [{ path: [], of: state }, ...(state.type === 'model' ? ownTools(state) : [])];
  for (const { path, of } of acting.flatMap(callsOf)) {
    if (of.tool === 'mcp.call' && ownMember(strategy.scope.servers, of.server) === undefined)
      faults.push(at([...path, 'server'], `There is no tool server called "${of.server}" in the scope.`));
    if (of.tool === 'mail.send' && ownMember(strategy.scope.mailboxes, of.mailbox) === undefined)
      faults.push(at([...path, 'mailbox'], `There is no mailbox called "${of.mailbox}" in the scope.`));
  }
  return faults;
}

/** Something at a path of a state. */
interface Placed<Part> {
  readonly path: readonly string[];
  readonly of: Part;
}

/** The tools of a model state that are calls of the strategy's own. */
function ownTools(state: ModelState): readonly Placed<ModelToolUse>[] {
  return state.tools.map((use, index) => ({ path: ['tools', String(index)], of: use }));
}

/** Every call in a state or a tool: the call itself, the look whether it happened, and what undoes it. */
function callsOf({ path, of }: Placed<StrategyState | ModelToolUse>): readonly Placed<ToolCall>[] {
  if (!('call' in of)) return [];
  const found: Placed<ToolCall>[] = [{ path: [...path, 'call'], of: of.call }];
  const { effect } = of;
  if (effect?.kind === 'compensable') found.push({ path: [...path, 'effect', 'undo'], of: effect.undo });
  if (effect?.kind === 'verifiable' && effect.probe !== undefined)
    found.push({ path: [...path, 'effect', 'probe'], of: effect.probe });
  return found;
}

type At = (path: readonly string[], message: string) => StrategyFault;

function checkFork(
  strategy: Strategy,
  state: Extract<StrategyState, { type: 'fork' }>,
  at: At,
): readonly StrategyFault[] {
  const faults: StrategyFault[] = [];
  const count = Object.keys(state.branches).length;
  if (count < 2 || count > 16) faults.push(at(['branches'], `A fork has 2 to 16 branches; this one has ${count}.`));
  const join = ownMember(strategy.states, state.join);
  if (join !== undefined && join.type !== 'join')
    faults.push(at(['join'], `"${state.join}" is not a join state, so the branches could not end there.`));
  if (join?.type === 'join' && typeof join.need === 'number' && join.need > count)
    faults.push(at(['join'], `"${state.join}" needs ${join.need} branches, and this fork has ${count}.`));
  if (forksInto(strategy, state.join) > 1)
    faults.push(at(['join'], 'Two forks end in the same join; give each its own.'));
  return faults;
}

function forksInto(strategy: Strategy, join: string): number {
  return Object.values(strategy.states).filter((state) => state.type === 'fork' && state.join === join).length;
}

function checkModel(strategy: Strategy, state: ModelState, at: At): readonly StrategyFault[] {
  const faults: StrategyFault[] = [];
  const endpoint = ownMember(strategy.scope.models, state.model);
  if (endpoint === undefined) faults.push(at(['model'], `There is no model called "${state.model}" in the scope.`));
  const hasPrices = endpoint?.inputPricePerMillion !== undefined && endpoint.outputPricePerMillion !== undefined;
  if (state.costBudget !== undefined && endpoint !== undefined && !hasPrices)
    faults.push(
      at(['costBudget'], `"${state.model}" has no prices in the scope, so this budget would never be used up.`),
    );
  for (const [index, use] of state.tools.entries()) {
    if ('server' in use && ownMember(strategy.scope.servers, use.server) === undefined)
      faults.push(
        at(['tools', String(index), 'server'], `There is no tool server called "${use.server}" in the scope.`),
      );
  }
  const seen = new Set<string>();
  const twice = offeredTools(state).find((tool) => seen.size === seen.add(tool.name).size)?.name;
  if (twice !== undefined) faults.push(at(['tools'], `The model would know two tools as "${twice}".`));
  return faults;
}

function expressionsOf(state: StrategyState): readonly { readonly path: readonly string[]; readonly text: string }[] {
  const found: { path: readonly string[]; text: string }[] = [];
  const add = (key: string, ways: unknown): void => {
    if (!Array.isArray(ways)) return;
    for (const [index, way] of (ways as { when?: string }[]).entries())
      if (way.when !== undefined) found.push({ path: [key, String(index), 'when'], text: way.when });
  };
  if ('onSuccess' in state) add('onSuccess', state.onSuccess);
  if ('onFailure' in state) add('onFailure', state.onFailure);
  if (state.type === 'choice') add('branches', state.branches);
  if (state.type === 'workset') {
    found.push({ path: ['items'], text: state.items });
    if (state.id !== undefined) found.push({ path: ['id'], text: state.id });
  }
  return found;
}

/** Fields of a state whose text is not filled in: words for a person, expressions, and what values are compared with. */
const AS_IT_IS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'parameters',
  'when',
  'items',
  'id',
  'is',
  'contains',
]);
/** The text of a script is not filled in either. */
const AS_IT_IS_IN_CALLS: ReadonlySet<string> = new Set(['source']);

/** Every text inside a value that is filled in before it is used: a place in it that nothing can ever fill is a fault. */
export function checkTemplates(
  value: unknown,
  path: readonly string[] = [],
  skipped: ReadonlySet<string> = AS_IT_IS,
): readonly StrategyFault[] {
  if (typeof value === 'string') {
    const fault = templatePaths(value)
      .map(placeFault)
      .find((each) => each !== null);
    return fault === undefined ? [] : [{ path, message: `A place in this text cannot be filled: ${fault}` }];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (skipped.has(key)) return [];
    const isCall = key === 'call' || key === 'effect';
    return checkTemplates(member, [...path, key], isCall ? AS_IT_IS_IN_CALLS : skipped);
  });
}
