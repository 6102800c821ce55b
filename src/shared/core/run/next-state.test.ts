import { describe, expect, it } from 'vitest';
import type { StateId } from '../../contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../contract/strategy.ts';
import { strategySchema } from '../../contract/strategy.ts';
import { NOTIFY, POST } from '../example-facts.ts';
import { chooseBranch, edgesOf, isActing, laterSteps, nextState, usualNext, waysOut } from './next-state.ts';
import type { StepResult } from './next-state.ts';
import type { TemplateScope } from './template.ts';

const call = { tool: 'shell', argv: ['true'] };
const STATES = {
  post: { type: 'tool', title: 'Post it', call, onSuccess: 'pick', onFailure: 'failed', onUnclear: 'ask' },
  notify: { type: 'tool', call, onSuccess: 'finished' },
  ask: { type: 'approve', question: 'Go on?', of: 'post', onSuccess: 'post', onFailure: 'failed' },
  'ask-only': { type: 'approve', question: 'Go on?', of: 'post', onSuccess: 'post' },
  pause: { type: 'wait', forMs: 1_000, onSuccess: 'notify' },
  pick: { type: 'choice', branches: [{ value: '{{ input.n }}', is: '1', to: 'finished' }], otherwise: 'pause' },
  each: { type: 'workset', items: '[1]', do: 'notify', onSuccess: 'finished', onFailure: 'failed' },
  split: { type: 'fork', branches: { left: 'notify', right: 'pause' }, join: 'gather' },
  gather: { type: 'join', onSuccess: 'finished', onFailure: 'failed' },
  think: { type: 'model', model: 'small', prompt: 'p', onSuccess: 'finished', onUnclear: 'ask' },
  count: { type: 'script', call: { tool: 'script', interpreter: 'sh', source: '' }, onSuccess: 'finished' },
  failed: { type: 'fail' },
  finished: { type: 'done' },
};

const STRATEGY: Strategy = strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start: 'post', states: STATES });
const stateNamed = (name: string): StrategyState => {
  const found = STRATEGY.states[name as StateId];
  if (found === undefined) throw new Error(`The example has no state ${name}.`);
  return found;
};

const SUCCESS: StepResult = { kind: 'success' };
const FAILURE: StepResult = { kind: 'failure', class: 'transient' };
const UNCLEAR: StepResult = { kind: 'unclear' };
const SCOPE: TemplateScope = {
  input: { n: '2' },
  steps: { post: { output: { status: 409 } } },
  run: { id: 'run' },
};
const follows = (state: StrategyState, result: StepResult): unknown => {
  const next = nextState(state, result, SCOPE);
  return next.ok ? next.value : { fault: next.error };
};

describe('the state that follows', () => {
  it.each([
    { name: 'post', success: 'pick', failure: 'failed', unclear: 'ask' },
    { name: 'notify', success: 'finished', failure: null, unclear: null },
    { name: 'count', success: 'finished', failure: null, unclear: null },
    { name: 'think', success: 'finished', failure: null, unclear: 'ask' },
    { name: 'ask', success: 'post', failure: 'failed', unclear: null },
    { name: 'ask-only', success: 'post', failure: null, unclear: null },
    { name: 'pause', success: 'notify', failure: null, unclear: null },
    { name: 'pick', success: 'pause', failure: null, unclear: null },
    { name: 'each', success: 'finished', failure: 'failed', unclear: null },
    { name: 'split', success: 'gather', failure: null, unclear: null },
    { name: 'gather', success: 'finished', failure: 'failed', unclear: null },
    { name: 'failed', success: null, failure: null, unclear: null },
    { name: 'finished', success: null, failure: null, unclear: null },
  ])('a result of $name leads where another one should', ({ name, ...expected }) => {
    const state = stateNamed(name);
    expect({
      success: follows(state, SUCCESS),
      failure: follows(state, FAILURE),
      unclear: follows(state, UNCLEAR),
    }).toEqual(expected);
  });
});

describe('the way that is taken out of several', () => {
  const withWays = (changes: object): StrategyState => {
    const states = { ...STATES, post: { ...STATES.post, ...changes } };
    const found = strategySchema.parse({ ...STRATEGY, states }).states[POST];
    if (found === undefined) throw new Error('The example has no state.');
    return found;
  };
  const byStatus = withWays({
    onSuccess: [
      { when: 'steps.post.output.status == 200', to: 'finished' },
      { when: 'steps.post.output.status == 409', to: 'notify' },
      { to: 'pause' },
    ],
  });
  const byClass = withWays({
    onFailure: [
      { class: 'transient', when: 'input.n == "1"', to: 'post' },
      { class: 'transient', to: 'pause' },
      { class: 'authority', to: 'ask' },
      { when: 'input.n == "2"', to: 'notify' },
    ],
  });

  it('a way whose condition does not hold is taken, or one that holds is left out', () => {
    expect(follows(byStatus, SUCCESS)).toBe('notify');
    expect(follows(withWays({ onSuccess: [{ when: 'false', to: 'finished' }, { to: 'pause' }] }), SUCCESS)).toBe(
      'pause',
    );
  });

  it('a failure of one class is treated as one of another', () => {
    expect(follows(byClass, FAILURE)).toBe('pause');
    expect(follows(byClass, { kind: 'failure', class: 'authority' })).toBe('ask');
    expect(follows(byClass, { kind: 'failure', class: 'permanent' })).toBe('notify');
    expect(follows(byClass, { kind: 'failure', class: 'sandbox' })).toBe('notify');
    const { onSuccess: _, ...state } = byClass as Extract<StrategyState, { type: 'tool' }>;
    const mixedUp: StrategyState = { ...state, onSuccess: [{ class: 'transient', to: 'pause' as StateId }] as never };
    expect(follows(mixedUp, SUCCESS)).toBeNull();
  });

  it('a condition that nobody can decide is skipped, and the next way is taken', () => {
    const broken = withWays({ onSuccess: [{ when: 'input.gone == "x"', to: 'finished' }, { to: 'pause' }] });
    expect(follows(broken, SUCCESS)).toEqual({ fault: expect.stringContaining('No such key: gone') as string });
    const unclear = withWays({ onSuccess: [{ when: 'input.n', to: 'finished' }, { to: 'pause' }] });
    expect(follows(unclear, SUCCESS)).toEqual({ fault: 'input.n is neither true nor false.' });
  });

  it('no way is left, and one is taken all the same', () => {
    expect(follows(withWays({ onSuccess: [{ when: 'false', to: 'finished' }] }), SUCCESS)).toBeNull();
  });

  it('a person is told another usual way than the one without a condition', () => {
    expect(usualNext(byStatus, 'success')).toBe('pause');
    expect(usualNext(byClass, 'failure')).toBe('post');
    expect(usualNext(byClass, 'unclear')).toBe('ask');
    expect(usualNext(stateNamed('notify'), 'failure')).toBeNull();
    expect(usualNext(stateNamed('pause'), 'success')).toBe('notify');
  });

  it('the graph leaves out a way of a choice', () => {
    expect(waysOut(stateNamed('pick'), 'success')).toEqual([{ to: 'finished' }, { to: 'pause' }]);
  });
});

describe('the edges that a result may release', () => {
  const edges = (name: string, result: StepResult, stateVisit = 1) =>
    edgesOf(STRATEGY, { stateId: name as StateId, stateVisit }, { result, scope: SCOPE });

  it('an edge carries another visit than the one that ended', () => {
    const edge = { fromStateId: POST, fromStateVisit: 7, toStateId: 'pick' };
    expect(edges(POST, SUCCESS, 7)).toEqual({ ok: true, value: [edge] });
  });

  it('an edge leads nowhere', () => {
    expect(edges(NOTIFY, FAILURE)).toEqual({ ok: true, value: [] });
    for (const name of ['absent', 'constructor', 'valueof']) {
      expect(edges(name, SUCCESS)).toEqual({ ok: true, value: [] });
    }
  });

  it('an edge is released although its condition cannot be decided', () => {
    const states = { ...STATES, post: { ...STATES.post, onSuccess: [{ when: 'input.gone', to: 'finished' }] } };
    const strategy = strategySchema.parse({ ...STRATEGY, states });
    expect(edgesOf(strategy, { stateId: POST, stateVisit: 1 }, { result: SUCCESS, scope: SCOPE }).ok).toBe(false);
  });
});

describe('which branch is taken', () => {
  const pick = (value: string, branch: object) => {
    const state = strategySchema.parse({
      ...STRATEGY,
      states: {
        pick: { type: 'choice', branches: [{ value: '{{ input.n }}', to: 'yes', ...branch }], otherwise: 'no' },
      },
    }).states['pick' as StateId];
    if (state?.type !== 'choice') throw new Error('The example is no choice.');
    return chooseBranch(state, { input: { n: value }, steps: {}, run: { id: 'run' } });
  };

  it.each([
    { hazard: 'an equal text does not match', value: 'a', branch: { is: 'a' }, to: 'yes' },
    { hazard: 'a longer text matches', value: 'ab', branch: { is: 'a' }, to: 'no' },
    { hazard: 'a part is not found', value: 'abc', branch: { contains: 'b' }, to: 'yes' },
    { hazard: 'a part is found that is not there', value: 'abc', branch: { contains: 'x' }, to: 'no' },
    { hazard: 'the limit itself is too little', value: '3', branch: { atLeast: 3 }, to: 'yes' },
    { hazard: 'too little is enough', value: '2.9', branch: { atLeast: 3 }, to: 'no' },
    { hazard: 'nothing counts as zero', value: '', branch: { atLeast: 0 }, to: 'no' },
    { hazard: 'white space counts as zero', value: ' ', branch: { atLeast: 0 }, to: 'no' },
    { hazard: 'a word counts as a number', value: 'many', branch: { atLeast: 0 }, to: 'no' },
    { hazard: 'one of two conditions is enough', value: '12', branch: { contains: '1', atLeast: 20 }, to: 'no' },
    { hazard: 'two conditions are never met', value: '12', branch: { contains: '1', atLeast: 2 }, to: 'yes' },
    { hazard: 'a branch without conditions is skipped', value: '', branch: {}, to: 'yes' },
  ])('$hazard', ({ value, branch, to }) => {
    expect(pick(value, branch)).toEqual({ ok: true, value: to });
  });

  it.each([
    { hazard: 'a condition is ignored', branch: { value: undefined, when: 'input.n == "1"' }, to: 'no' },
    { hazard: 'a condition is never met', branch: { value: undefined, when: 'input.n == "3"' }, to: 'yes' },
    { hazard: 'a value makes up for a condition', branch: { when: 'false', is: '3' }, to: 'no' },
    { hazard: 'a condition makes up for a value', branch: { when: 'true', is: '4' }, to: 'no' },
    { hazard: 'a branch about nothing is skipped', branch: { value: undefined }, to: 'yes' },
  ])('$hazard', ({ branch, to }) => {
    expect(pick('3', branch)).toEqual({ ok: true, value: to });
  });

  it('a branch whose condition cannot be decided is skipped instead of stopping the run', () => {
    expect(pick('a', { when: 'input.gone == 1' }).ok).toBe(false);
  });

  it('a branch whose value is missing is skipped instead of stopping the run', () => {
    expect(pick('a', { value: '{{ input.gone }}' }).ok).toBe(false);
  });
});

describe('the steps that a stop cancels', () => {
  it('a later step is left out of the preview, or a step is named by its key although it has a title', () => {
    expect(laterSteps(STRATEGY, POST)).toEqual(['Post it', 'notify']);
    expect(laterSteps(STRATEGY, NOTIFY)).toEqual(['notify']);
    expect(laterSteps(STRATEGY, null)).toEqual([]);
  });

  it('a strategy that goes in circles is walked for ever', () => {
    const states = { ...STATES, pause: { ...STATES.pause, onSuccess: 'ask' } };
    expect(laterSteps(strategySchema.parse({ ...STRATEGY, states }), POST)).toEqual(['Post it']);
  });

  it('a path into nowhere throws', () => {
    const states = { ...STATES, pause: { ...STATES.pause, onSuccess: 'constructor' } };
    expect(laterSteps(strategySchema.parse({ ...STRATEGY, states }), POST)).toEqual(['Post it']);
  });
});

describe('whether a state causes effects', () => {
  it('a state that acts is passed over, or one that does not is waited for', () => {
    const acting = Object.keys(STATES).filter((name) => isActing(stateNamed(name)));
    expect(acting).toEqual(['post', 'notify', 'think', 'count']);
  });
});
