import { describe, expect, it } from 'vitest';
import type { StateId } from '../../contract/identifiers.ts';
import type { ModelEndpoint } from '../../contract/scope.ts';
import type { ModelState } from '../../contract/strategy.ts';
import { strategySchema } from '../../contract/strategy.ts';
import { modelActOf, nextModelAct, offeredTools } from './model-loop.ts';
import type { CallResult, ModelAct, ModelAnswer, ModelTurn } from './model-loop.ts';

const post = { tool: 'http.request', method: 'POST', url: 'https://api.example.com/{{ args.id }}' };
const TOOLS = [
  { server: 'files', names: ['read.file', 'list'] },
  { name: 'post', description: 'Posts.', parameters: { type: 'object' }, call: post },
];

function modelState(changes: object = {}): ModelState {
  const state = { type: 'model', model: 'small', prompt: 'unused', tools: TOOLS, onSuccess: 'end', ...changes };
  const strategy = strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start: 's', states: { s: state } });
  const found = strategy.states['s' as StateId];
  if (found?.type !== 'model') throw new Error('The example is no model.');
  return found;
}

type Asked = ModelAnswer['calls'][number];
const call = (id: string, name = 'post', text = '{"id":1}'): Asked => ({ id, name, arguments: text });
const answer = (calls: readonly Asked[], usage = { inputTokens: 10, outputTokens: 5 }): ModelAnswer => ({
  text: calls.length === 0 ? 'Done.' : 'Let me see.',
  finish: calls.length === 0 ? 'end' : 'tool-calls',
  calls,
  usage,
});
const result = (text: string): CallResult => ({ text, isError: false });
const turn = (calls: readonly Asked[], results: Record<string, CallResult> = {}): ModelTurn => ({
  answer: answer(calls),
  results,
});
const PRICED: ModelEndpoint = {
  provider: 'openai',
  model: 'm',
  inputPricePerMillion: 1_000_000,
  outputPricePerMillion: 2_000_000,
};
const next = (turns: readonly ModelTurn[], state = modelState(), endpoint?: ModelEndpoint): ModelAct =>
  nextModelAct(state, { prompt: 'Do it.', turns, endpoint });

describe('the tools that a model is told about', () => {
  it('a tool is called by a name that an endpoint turns away, or that finds another tool', () => {
    expect(offeredTools(modelState()).map(({ name, serverTool }) => ({ name, serverTool }))).toEqual([
      { name: 'files_read_file', serverTool: 'read.file' },
      { name: 'files_list', serverTool: 'list' },
      { name: 'post', serverTool: null },
    ]);
    const long = modelState({ tools: [{ server: 'files', names: ['x'.repeat(128)] }] });
    expect(offeredTools(long)[0]?.name).toMatch(/^[A-Za-z0-9_-]{64}$/u);
  });
});

describe('what a model state does next', () => {
  it('the first question is another one than the prompt', () => {
    expect(next([])).toEqual({ kind: 'ask', turn: 1, messages: [{ role: 'user', text: 'Do it.' }] });
  });

  it('a call is made in another order, with other arguments, or twice', () => {
    const calls = [call('a', 'files_list', ''), call('b'), call('c')];
    expect(next([turn(calls)])).toMatchObject({
      kind: 'call',
      turn: 1,
      callId: 'a',
      args: {},
      offered: { serverTool: 'list' },
    });
    const made = { a: result('files') };
    expect(next([turn(calls, made)])).toMatchObject({ kind: 'call', turn: 1, callId: 'b', args: { id: 1 } });
    expect(next([turn(calls, { ...made, b: result('b') })])).toMatchObject({ kind: 'call', callId: 'c' });
  });

  it('an answer without calls is asked about again', () => {
    expect(next([turn([call('a')], { a: result('ok') }), turn([])])).toEqual({
      kind: 'over',
      result: { kind: 'success' },
      summary: 'The model gave its answer',
      output: { text: 'Done.', turns: 2, inputTokens: 20, outputTokens: 10, cost: null },
    });
  });

  it('a model is told something else than it asked, or in another order', () => {
    const first = turn([call('b'), call('a', 'files_list', '{}')], { a: result('second'), b: result('first') });
    const second = turn([call('a')], { a: { text: 'no', isError: true } });
    expect(next([first, second])).toEqual({
      kind: 'ask',
      turn: 3,
      messages: [
        { role: 'user', text: 'Do it.' },
        { role: 'assistant', text: 'Let me see.', calls: first.answer.calls },
        { role: 'tool', id: 'b', text: 'first', isError: false },
        { role: 'tool', id: 'a', text: 'second', isError: false },
        { role: 'assistant', text: 'Let me see.', calls: second.answer.calls },
        { role: 'tool', id: 'a', text: 'no', isError: true },
      ],
    });
  });

  it('a result of another turn answers a call with the same id', () => {
    expect(next([turn([call('a')], { a: result('old') }), turn([call('a')])])).toMatchObject({
      kind: 'call',
      turn: 2,
      callId: 'a',
    });
  });

  it.each([
    { hazard: 'a tool that nobody granted is called', asked: call('a', 'shell'), text: 'There is no such tool.' },
    { hazard: 'a tool of every object is called', asked: call('a', 'constructor'), text: 'There is no such tool.' },
    {
      hazard: 'broken arguments are guessed',
      asked: call('a', 'post', '{"id":'),
      text: 'The arguments are not a JSON object.',
    },
    {
      hazard: 'a list is taken for arguments',
      asked: call('a', 'post', '[1]'),
      text: 'The arguments are not a JSON object.',
    },
    {
      hazard: 'null is taken for arguments',
      asked: call('a', 'post', 'null'),
      text: 'The arguments are not a JSON object.',
    },
    {
      hazard: 'a text is taken for arguments',
      asked: call('a', 'post', '"x"'),
      text: 'The arguments are not a JSON object.',
    },
    {
      hazard: 'a call looks like the undo of another',
      asked: call('a!undo1'),
      text: 'The id of this call cannot be used.',
    },
    {
      hazard: 'a call looks like a part of another step',
      asked: call('a/2'),
      text: 'The id of this call cannot be used.',
    },
    {
      hazard: 'a call changes the prototype of the results',
      asked: call('__proto__'),
      text: 'The id of this call cannot be used.',
    },
    { hazard: 'a call has no id', asked: call(''), text: 'The id of this call cannot be used.' },
    { hazard: 'an id is too long for a key', asked: call('x'.repeat(65)), text: 'The id of this call cannot be used.' },
  ])('$hazard, or the model never learns of it', ({ asked, text }) => {
    expect(next([turn([asked])])).toMatchObject({
      kind: 'ask',
      turn: 2,
      messages: [
        { role: 'user' },
        { role: 'assistant' },
        { role: 'tool', id: asked.id, isError: true, text: `${text} Nothing was done.` },
      ],
    });
  });

  it('a call whose id every object knows counts as answered', () => {
    expect(next([turn([call('constructor')])])).toMatchObject({ kind: 'call', callId: 'constructor' });
    expect(next([turn([call('constructor')], { constructor: result('ok') })])).toMatchObject({
      kind: 'ask',
      messages: [{}, {}, { id: 'constructor', text: 'ok' }],
    });
  });

  it('a second call with the id of the first is told the result of the first', () => {
    const calls = [call('a'), call('a', 'post', '{"id":2}')];
    expect(next([turn(calls)])).toMatchObject({ kind: 'call', callId: 'a', args: { id: 1 } });
    expect(next([turn(calls, { a: result('one') })])).toMatchObject({
      kind: 'ask',
      messages: [
        {},
        {},
        { text: 'one' },
        { isError: true, text: expect.stringContaining('Nothing was done for this one') as string },
      ],
    });
  });

  it('a call of an earlier turn without a result is told as done, or as not done', () => {
    expect(next([turn([call('a')]), turn([call('b')], { b: result('ok') })])).toMatchObject({
      messages: [{}, {}, { id: 'a', isError: true, text: 'There is no result of this call.' }, {}, { text: 'ok' }],
    });
  });
});

describe('a model that goes on and on', () => {
  const asking = (count: number): ModelTurn[] =>
    Array.from({ length: count }, () => turn([call('a')], { a: result('ok') }));

  it('has more turns than were granted, or fewer', () => {
    const state = modelState({ maxTurns: 2 });
    expect(next(asking(1), state)).toMatchObject({ kind: 'ask', turn: 2 });
    expect(next(asking(2), state)).toMatchObject({
      kind: 'over',
      result: { kind: 'failure', class: 'runtime' },
      summary: 'The model had its 2 turns and wanted more',
    });
    expect(next([...asking(1), turn([])], state)).toMatchObject({ kind: 'over', result: { kind: 'success' } });
  });

  it('has a last call made whose result it can never see', () => {
    expect(next([turn([call('a')])], modelState({ maxTurns: 1 }))).toMatchObject({ kind: 'over' });
  });

  it('uses more tokens than were granted', () => {
    expect(next(asking(2), modelState({ tokenBudget: 31 }))).toMatchObject({ kind: 'ask' });
    expect(next(asking(2), modelState({ tokenBudget: 30 }))).toMatchObject({
      kind: 'over',
      summary: 'The model used 30 tokens of 30',
    });
  });

  it('costs more than was granted', () => {
    expect(next(asking(2), modelState({ costBudget: 41 }), PRICED)).toMatchObject({ kind: 'ask' });
    expect(next(asking(2), modelState({ costBudget: 40 }), PRICED)).toMatchObject({
      kind: 'over',
      summary: 'The model used up its budget of 40',
      output: { cost: 40 },
    });
  });

  it('is given a cost that nobody knows', () => {
    const { outputPricePerMillion: _, ...halfPriced } = PRICED;
    expect(next(asking(2), modelState({ costBudget: 0 }), halfPriced)).toMatchObject({ kind: 'ask' });
    expect(next([turn([])], modelState(), halfPriced)).toMatchObject({ output: { cost: null } });
  });
});

describe('an answer that is none', () => {
  it.each([
    { finish: 'length', result: { kind: 'failure', class: 'runtime' } },
    { finish: 'other', result: { kind: 'failure', class: 'runtime' } },
    { finish: 'refused', result: { kind: 'failure', class: 'permanent' } },
    { finish: 'end', result: { kind: 'success' } },
    { finish: 'tool-calls', result: { kind: 'success' } },
  ] as const)('counts as one, or a whole one does not: $finish', ({ finish, result: expected }) => {
    const last: ModelTurn = { answer: { ...answer([]), finish }, results: {} };
    expect(next([last], modelState())).toMatchObject({ kind: 'over', result: expected });
  });
});

describe('a part found again from the record', () => {
  const turns = [turn([call('a'), call('b', 'shell')], { a: result('ok') }), turn([call('a')])];
  const again = (part: { turn: number; callId: string | null }) =>
    modelActOf(modelState(), { prompt: 'Do it.', turns }, part);

  it('is another question, or another call', () => {
    expect(again({ turn: 1, callId: null })).toEqual(next([]));
    expect(again({ turn: 2, callId: null })).toEqual(next(turns.slice(0, 1)));
    expect(again({ turn: 2, callId: 'a' })).toEqual(next(turns));
  });

  it('was never asked for', () => {
    expect(again({ turn: 4, callId: null })).toBeNull();
    expect(again({ turn: 3, callId: 'a' })).toBeNull();
    expect(again({ turn: 1, callId: 'c' })).toBeNull();
    expect(again({ turn: 1, callId: 'b' })).toBeNull();
  });
});
