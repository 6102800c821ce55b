import type { StateId } from '../../contract/identifiers.ts';
import { WORKSET_ITEM_LIMIT } from '../../contract/strategy.ts';
import type { BranchingState, StrategyState } from '../../contract/strategy.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Json } from '../../lib/canonical-json.ts';
import type { Result } from '../../lib/result.ts';
import { err, ok } from '../../lib/result.ts';
import { evaluateExpression } from './expression.ts';
import type { StepResult } from './next-state.ts';
import type { RunEnding } from './run-state.ts';
import type { TemplateScope } from './template.ts';

/** A run that goes on beside others, inside the run that began it. */
export interface PlannedBranch {
  /** Its name in a fork, or the id of its item: the same on every resume, whatever was reordered. */
  readonly name: string;
  readonly start: StateId;
  /** The item of a workset; `null` in a fork. */
  readonly item: unknown;
}

const NAME_LIMIT = 128;

/** The branches that a state begins; an error is a sentence, and nothing was begun. */
export function planBranches(state: BranchingState, scope: TemplateScope): Result<readonly PlannedBranch[], string> {
  if (state.type === 'fork')
    return ok(Object.entries(state.branches).map(([name, start]) => ({ name, start, item: null })));
  const items = evaluateExpression(state.items, scope);
  if (!items.ok) return items;
  if (!Array.isArray(items.value)) return err(`${state.items} is not a list.`);
  if (items.value.length > WORKSET_ITEM_LIMIT)
    return err(`There are ${items.value.length} items; a workset takes at most ${WORKSET_ITEM_LIMIT}.`);
  const planned: PlannedBranch[] = [];
  for (const item of items.value as readonly unknown[]) {
    const name = itemName(state.id, item, scope);
    if (!name.ok) return name;
    if (planned.some((other) => other.name === name.value))
      return err(`Two items are called "${name.value}". Give the workset an id that tells them apart.`);
    planned.push({ name: name.value, start: state.do, item });
  }
  return ok(planned);
}

function itemName(id: string | undefined, item: unknown, scope: TemplateScope): Result<string, string> {
  const named = id === undefined ? ok(item) : evaluateExpression(id, { ...scope, item });
  if (!named.ok) return named;
  const name = typeof named.value === 'string' ? named.value : canonicalJson(named.value as Json);
  // Half of a character is written down as the same sign as any other half: two items would become one.
  if (!name.isWellFormed()) return err('The name of an item is not well-formed text. Give the workset an id.');
  if (name.length > 0 && name.length <= NAME_LIMIT) return ok(name);
  return err(`An item has a name of ${name.length} characters; it takes 1 to ${NAME_LIMIT}. Give the workset an id.`);
}

/** How the branches of one visit ended. */
export interface EndedBranch {
  readonly name: string;
  readonly ending: RunEnding;
}

/** Which way a workset goes once all its items have ended: success only if every one is done. */
export function worksetResult(ended: readonly EndedBranch[]): StepResult {
  return ended.every((branch) => branch.ending === 'done')
    ? { kind: 'success' }
    : { kind: 'failure', class: 'permanent' };
}

/** Which way a join goes once all branches of its fork have ended. */
export function joinResult(state: Extract<StrategyState, { type: 'join' }>, ended: readonly EndedBranch[]): StepResult {
  const arrived = ended.filter((branch) => branch.ending === 'done').length;
  const needed = state.need === 'all' ? ended.length : state.need === 'any' ? 1 : state.need;
  return arrived >= needed ? { kind: 'success' } : { kind: 'failure', class: 'permanent' };
}
