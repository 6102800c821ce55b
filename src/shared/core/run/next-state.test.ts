import { describe, expect, it } from 'vitest';
import type { StateId } from '../../contract/identifiers.ts';
import type { Strategy, StrategyState } from '../../contract/strategy.ts';
import { strategySchema } from '../../contract/strategy.ts';
import { NOTIFY, POST } from '../example-facts.ts';
import { chooseBranch, edgesOf, laterSteps, nextState } from './next-state.ts';

const call = { tool: 'shell', argv: ['true'] };
const STATES = {
  post: { type: 'tool', title: 'Post it', call, onSuccess: 'pick', onFailure: 'failed', onUnclear: 'ask' },
  notify: { type: 'tool', call, onSuccess: 'finished' },
  ask: { type: 'approve', question: 'Go on?', of: 'post', onSuccess: 'post', onFailure: 'failed' },
  'ask-only': { type: 'approve', question: 'Go on?', of: 'post', onSuccess: 'post' },
  pause: { type: 'wait', forMs: 1_000, onSuccess: 'notify' },
  pick: { type: 'choice', branches: [{ value: '{{ input.n }}', is: '1', to: 'finished' }], otherwise: 'pause' },
  failed: { type: 'fail' },
  finished: { type: 'done' },
};

const STRATEGY: Strategy = strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start: 'post', states: STATES });
const stateNamed = (name: string): StrategyState => {
  const found = STRATEGY.states[name as StateId];
  if (found === undefined) throw new Error(`The example has no state ${name}.`);
  return found;
};

describe('the state that follows', () => {
  it.each([
    { name: 'post', success: 'pick', failure: 'failed', unclear: 'ask' },
    { name: 'notify', success: 'finished', failure: null, unclear: null },
    { name: 'ask', success: 'post', failure: 'failed', unclear: null },
    { name: 'ask-only', success: 'post', failure: null, unclear: null },
    { name: 'pause', success: 'notify', failure: null, unclear: null },
    { name: 'pick', success: null, failure: null, unclear: null },
    { name: 'failed', success: null, failure: null, unclear: null },
    { name: 'finished', success: null, failure: null, unclear: null },
  ])('a result of $name leads where another one should', ({ name, ...expected }) => {
    const state = stateNamed(name);
    expect({
      success: nextState(state, 'success'),
      failure: nextState(state, 'failure'),
      unclear: nextState(state, 'unclear'),
    }).toEqual(expected);
  });
});

describe('the edges that a result may release', () => {
  it('an edge carries another visit than the one that ended', () => {
    const edge = { fromStateId: POST, fromStateVisit: 7, toStateId: 'pick' };
    expect(edgesOf(STRATEGY, { stateId: POST, stateVisit: 7 }, 'success')).toEqual([edge]);
  });

  it('an edge leads nowhere', () => {
    expect(edgesOf(STRATEGY, { stateId: NOTIFY, stateVisit: 1 }, 'failure')).toEqual([]);
    for (const name of ['absent', 'constructor', 'valueof']) {
      expect(edgesOf(STRATEGY, { stateId: name as StateId, stateVisit: 1 }, 'success')).toEqual([]);
    }
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
