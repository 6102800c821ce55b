import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateId } from '../../contract/identifiers.ts';
import type { BranchingState, StrategyState } from '../../contract/strategy.ts';
import { WORKSET_ITEM_LIMIT, strategySchema } from '../../contract/strategy.ts';
import { joinResult, planBranches, worksetResult } from './branches.ts';
import type { EndedBranch } from './branches.ts';
import type { RunEnding } from './run-state.ts';
import type { TemplateScope } from './template.ts';

function stateFrom(state: object): StrategyState {
  const strategy = strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start: 's', states: { s: state } });
  const found = strategy.states['s' as StateId];
  if (found === undefined) throw new Error('The example has no state.');
  return found;
}

function branching(state: object): BranchingState {
  const found = stateFrom(state);
  if (found.type !== 'workset' && found.type !== 'fork') throw new Error('The example does not branch.');
  return found;
}

const workset = (changes: object = {}): BranchingState =>
  branching({ type: 'workset', items: 'steps.list.output', do: 'one', onSuccess: 'end', ...changes });
const over = (output: unknown): TemplateScope => ({ input: {}, steps: { list: { output } }, run: { id: 'run' } });
const namesOf = (state: BranchingState, output: unknown): unknown => {
  const planned = planBranches(state, over(output));
  return planned.ok ? planned.value.map((branch) => branch.name) : planned.error;
};

describe('the branches that a state begins', () => {
  it('a branch of a fork begins elsewhere, or twice', () => {
    const fork = branching({ type: 'fork', branches: { left: 'one', right: 'two' }, join: 'end' });
    expect(planBranches(fork, over([]))).toEqual({
      ok: true,
      value: [
        { name: 'left', start: 'one', item: null },
        { name: 'right', start: 'two', item: null },
      ],
    });
  });

  it('an item is lost, or begins elsewhere', () => {
    expect(planBranches(workset(), over(['a', { b: 1 }]))).toEqual({
      ok: true,
      value: [
        { name: 'a', start: 'one', item: 'a' },
        { name: '{"b":1}', start: 'one', item: { b: 1 } },
      ],
    });
    expect(planBranches(workset(), over([]))).toEqual({ ok: true, value: [] });
  });

  it('an item is called by its place in the list', () => {
    expect(namesOf(workset({ id: 'item.id' }), [{ id: 'b' }, { id: 7 }, { id: null }])).toEqual(['b', '7', 'null']);
  });

  it('the same item has another name once its fields are in another order', () => {
    expect(namesOf(workset(), [{ a: 1, b: 2 }])).toEqual(namesOf(workset(), [{ b: 2, a: 1 }]));
  });

  it.each([
    { hazard: 'one thing is taken for a list', output: { a: 1 }, error: 'steps.list.output is not a list.' },
    { hazard: 'two items share a name, and one is never done', output: ['a', 'a'], error: 'Two items are called "a".' },
    { hazard: 'a number and its text share a name', output: [1, '1'], error: 'Two items are called "1".' },
    {
      hazard: 'two items become one once they are written down',
      output: ['\uD800', '\uD801'],
      error: 'not well-formed',
    },
    { hazard: 'an item has no name', output: [''], error: 'An item has a name of 0 characters' },
    {
      hazard: 'a name is too long for a key',
      output: ['x'.repeat(129)],
      error: 'An item has a name of 129 characters',
    },
    {
      hazard: 'more is begun than anybody could follow',
      output: Array.from({ length: WORKSET_ITEM_LIMIT + 1 }, (_, index) => index),
      error: `There are ${WORKSET_ITEM_LIMIT + 1} items; a workset takes at most ${WORKSET_ITEM_LIMIT}.`,
    },
  ])('$hazard', ({ output, error }) => {
    expect(namesOf(workset(), output)).toContain(error);
  });

  it('a list that is not there, or an id that nobody can work out, begins some branches all the same', () => {
    expect(namesOf(workset({ items: 'steps.gone.output' }), [])).toContain('No such key: gone');
    expect(namesOf(workset({ id: 'item.id' }), [{ id: 'a' }, {}])).toContain('No such key: id');
  });

  it('a full workset is turned away', () => {
    const items = Array.from({ length: WORKSET_ITEM_LIMIT }, (_, index) => index);
    expect(namesOf(workset(), items)).toHaveLength(WORKSET_ITEM_LIMIT);
    expect(namesOf(workset(), ['x'.repeat(128)])).toHaveLength(1);
  });
});

describe('the names of any items', () => {
  const items = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 8 });

  it('are not unique, or depend on what stands before an item', () => {
    const shuffled = items.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, reordered]) => {
        const one = planBranches(workset(), over(list));
        const other = planBranches(workset(), over(reordered));
        expect(other.ok).toBe(one.ok);
        if (!one.ok || !other.ok) return;
        const names = new Map(one.value.map((branch) => [branch.name, branch.item]));
        expect(names.size).toBe(list.length);
        expect(new Map(other.value.map((branch) => [branch.name, branch.item]))).toEqual(names);
      }),
      { numRuns: 200 },
    );
  });

  it('change when an item is added behind, or one before is taken away', () => {
    fc.assert(
      fc.property(items, fc.nat(7), (list, from) => {
        const all = planBranches(workset(), over(list));
        const some = planBranches(workset(), over(list.slice(from)));
        if (all.ok && some.ok) expect(all.value.slice(from)).toEqual(some.value);
      }),
    );
  });
});

const ended = (...endings: RunEnding[]): EndedBranch[] =>
  endings.map((ending, index) => ({ name: `b${index}`, ending }));
const SUCCESS = { kind: 'success' };
const FAILURE = { kind: 'failure', class: 'permanent' };

describe('which way it goes once all branches have ended', () => {
  it('a workset with a failed or stopped item counts as done', () => {
    expect(worksetResult(ended('done', 'done'))).toEqual(SUCCESS);
    expect(worksetResult(ended('done', 'failed-nothing-sent'))).toEqual(FAILURE);
    expect(worksetResult(ended('stopped', 'done'))).toEqual(FAILURE);
    expect(worksetResult(ended('failed-was-sent'))).toEqual(FAILURE);
  });

  it('a workset without items never goes on', () => {
    expect(worksetResult([])).toEqual(SUCCESS);
  });

  it.each<{ need: 'all' | 'any' | number; endings: RunEnding[]; result: object }>([
    { need: 'all', endings: ['done', 'done'], result: SUCCESS },
    { need: 'all', endings: ['done', 'stopped'], result: FAILURE },
    { need: 'any', endings: ['stopped', 'done'], result: SUCCESS },
    { need: 'any', endings: ['stopped', 'failed-was-sent'], result: FAILURE },
    { need: 2, endings: ['done', 'stopped', 'done'], result: SUCCESS },
    { need: 2, endings: ['done', 'stopped', 'stopped'], result: FAILURE },
  ])('a join that needs $need of $endings goes the other way', ({ need, endings, result }) => {
    const join = stateFrom({ type: 'join', need, onSuccess: 'end' });
    if (join.type !== 'join') throw new Error('The example is no join.');
    expect(joinResult(join, ended(...endings))).toEqual(result);
  });
});
