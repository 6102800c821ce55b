import { describe, expect, it } from 'vitest';
import type { StateId } from '../../contract/identifiers.ts';
import type { Strategy } from '../../contract/strategy.ts';
import { strategySchema } from '../../contract/strategy.ts';
import { checkParts, checkTemplates, edgeTargets } from './check-state.ts';

const SCOPE = {
  servers: { files: { command: ['node', 'server.js'] } },
  mailboxes: { me: { from: 'me@example.com', smtp: { host: 'mail.example.com', port: 465 } } },
  models: {
    small: { provider: 'openai', model: 'm' },
    priced: { provider: 'openai', model: 'm', inputPricePerMillion: 1, outputPricePerMillion: 2 },
    half: { provider: 'openai', model: 'm', inputPricePerMillion: 1 },
  },
};
const shell = { tool: 'shell', argv: ['true'] };
const mail = (mailbox: string) => ({ tool: 'mail.send', mailbox, to: ['a@example.com'], subject: 's', text: 't' });
const mcp = (server: string) => ({ tool: 'mcp.call', server, name: 'read' });

function strategy(states: object): Strategy {
  return strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start: 'end', scope: SCOPE, states });
}

/** The faults inside one state, and whatever other states are needed beside it. */
function faultsOf(state: object, others: object = {}): string[] {
  const whole = strategy({ end: { type: 'done' }, s: state, ...others });
  const found = whole.states['s' as StateId];
  if (found === undefined) throw new Error('The example has no state.');
  return checkParts(whole, 's', found).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const tool = (changes: object) => ({ type: 'tool', call: shell, onSuccess: 'end', ...changes });
const model = (changes: object) => ({ type: 'model', model: 'small', prompt: 'p', onSuccess: 'end', ...changes });
const own = (name: string, call: object = shell, changes: object = {}) => ({
  name,
  description: '{{ is told as it is }}',
  parameters: { type: 'object', description: '{{ so is this }}' },
  call,
  ...changes,
});
const fork = (changes: object = {}) => ({ type: 'fork', branches: { one: 'end', two: 'end' }, join: 'j', ...changes });
const join = (changes: object = {}) => ({ type: 'join', onSuccess: 'end', ...changes });

describe('a place that names another state', () => {
  it('is overlooked', () => {
    const ways = [{ when: 'true', to: 'a' }, { to: 'b' }];
    const states = strategy({
      acts: tool({ onSuccess: ways, onFailure: [{ class: 'transient', to: 'c' }], onUnclear: 'd' }),
      asks: { type: 'approve', question: '?', of: 'a', onSuccess: 'b' },
      picks: { type: 'choice', branches: ways, otherwise: 'c' },
      each: { type: 'workset', items: '[1]', do: 'a', onSuccess: 'b' },
      splits: fork({ branches: { left: 'a', right: 'b' } }),
      end: { type: 'done' },
    }).states;
    const targets = Object.values(states).map((state) =>
      edgeTargets(state).map(({ key, to }) => `${key.join('.')} ${to}`),
    );
    expect(targets).toEqual([
      ['onSuccess.0.to a', 'onSuccess.1.to b', 'onFailure.0.to c', 'onUnclear d'],
      ['onSuccess b', 'of a'],
      ['otherwise c', 'branches.0.to a', 'branches.1.to b'],
      ['onSuccess b', 'do a'],
      ['join j', 'branches.left a', 'branches.right b'],
      [],
    ]);
  });
});

describe('a state that reads well', () => {
  it.each([
    tool({ call: mcp('files') }),
    tool({ call: mail('me'), effect: { kind: 'verifiable' } }),
    tool({ onSuccess: [{ when: 'input.a == "b"', to: 'end' }, { to: 'end' }] }),
    tool({ title: '{{ for a person }}', call: { ...shell, argv: ['{{ input.a + "b" }}', '{{ steps.a-b.output }}'] } }),
    { type: 'script', call: { tool: 'script', interpreter: 'sh', source: 'echo {{.Names}}' }, onSuccess: 'end' },
    model({ model: 'priced', costBudget: 1, tools: [{ server: 'files', names: ['a'] }, own('b', mcp('files'))] }),
    {
      type: 'choice',
      branches: [{ value: '{{ input.a }}', is: '{{ is compared as it is }}', to: 'end' }],
      otherwise: 'end',
    },
    { type: 'workset', items: 'steps.a.output', id: 'item.id', do: 'end', onSuccess: 'end' },
    { type: 'wait', forMs: 1, onSuccess: 'end' },
    { type: 'fail', reason: '{{ steps.a.output.body }}' },
  ])('is turned away: %j', (state) => {
    expect(faultsOf(state)).toEqual([]);
  });

  it('is turned away because it is a fork or a join', () => {
    expect(faultsOf(fork(), { j: join({ need: 2 }) })).toEqual([]);
    expect(faultsOf(join(), { f: fork({ join: 's' }) })).toEqual([]);
    expect(faultsOf(join({ need: 'any' }), { f: fork({ join: 's' }) })).toEqual([]);
  });
});

describe('an expression that can never be used is found only once a run gets there', () => {
  it.each([
    [tool({ onSuccess: [{ when: '1 +', to: 'end' }, { to: 'end' }] }), 'states.s.onSuccess.0.when'],
    [tool({ onFailure: [{ to: 'end' }, { when: 'gone', to: 'end' }] }), 'states.s.onFailure.1.when'],
    [
      { type: 'choice', branches: [{ to: 'end' }, { when: 'process.exit()', to: 'end' }], otherwise: 'end' },
      'states.s.branches.1.when',
    ],
    [{ type: 'workset', items: 'now()', do: 'end', onSuccess: 'end' }, 'states.s.items'],
    [{ type: 'workset', items: '[1]', id: '!', do: 'end', onSuccess: 'end' }, 'states.s.id'],
  ])('%j', (state, path) => {
    expect(faultsOf(state)).toEqual([expect.stringContaining(`${path}: This expression cannot be used: `)]);
  });
});

describe('a text that nothing can ever fill is found only after earlier steps have acted', () => {
  it.each([
    [tool({ call: { ...shell, argv: ['cat', '{{ 1 + }}'] } }), 'states.s.call.argv.1'],
    [
      tool({ call: { ...mcp('files'), arguments: { title: [{ id: '{{ process.env }}' }] } } }),
      'states.s.call.arguments.title.0.id',
    ],
    [tool({ effect: { kind: 'compensable', undo: { ...shell, argv: ['{{ }}'] } } }), 'states.s.effect.undo.argv.0'],
    [model({ prompt: '{{ gone }}' }), 'states.s.prompt'],
    [model({ system: '{{ gone }}' }), 'states.s.system'],
    [model({ tools: [own('a', { ...shell, argv: ['{{ gone }}'] })] }), 'states.s.tools.0.call.argv.0'],
    [{ type: 'approve', question: '{{ gone }}', of: 'end', onSuccess: 'end' }, 'states.s.question'],
    [{ type: 'choice', branches: [{ value: '{{ gone }}', to: 'end' }], otherwise: 'end' }, 'states.s.branches.0.value'],
    [{ type: 'fail', reason: 'Because {{ gone }}' }, 'states.s.reason'],
  ])('%j', (state, path) => {
    expect(faultsOf(state)).toEqual([expect.stringContaining(`${path}: A place in this text cannot be filled: `)]);
  });

  it('and a text that is not there is one', () => {
    expect(checkTemplates(undefined)).toEqual([]);
    expect(checkTemplates(null)).toEqual([]);
  });
});

describe('a state that can never work', () => {
  it.each([
    {
      hazard: 'a success that leads nowhere',
      state: tool({ onSuccess: [{ to: 'end' }, { when: 'true', to: 'end' }] }),
      fault: 'states.s.onSuccess: The last way needs to be without a condition, or a success could lead nowhere.',
    },
    {
      hazard: 'a tool server that nobody granted',
      state: tool({ call: mcp('gone') }),
      fault: 'states.s.call.server: There is no tool server called "gone" in the scope.',
    },
    {
      hazard: 'a tool server that every object has',
      state: tool({ call: mcp('constructor') }),
      fault: 'states.s.call.server: There is no tool server called "constructor" in the scope.',
    },
    {
      hazard: 'a mailbox that nobody granted',
      state: tool({ call: mail('gone') }),
      fault: 'states.s.call.mailbox: There is no mailbox called "gone" in the scope.',
    },
    {
      hazard: 'an undo that nobody granted',
      state: tool({ effect: { kind: 'compensable', undo: mcp('gone') } }),
      fault: 'states.s.effect.undo.server: There is no tool server called "gone" in the scope.',
    },
    {
      hazard: 'a look that nobody granted',
      state: tool({ effect: { kind: 'verifiable', probe: mcp('gone') } }),
      fault: 'states.s.effect.probe.server: There is no tool server called "gone" in the scope.',
    },
    {
      hazard: 'a model that nobody granted',
      state: model({ model: 'gone', costBudget: 1 }),
      fault: 'states.s.model: There is no model called "gone" in the scope.',
    },
    {
      hazard: 'a model with the tools of a server that nobody granted',
      state: model({ tools: [own('a'), { server: 'gone', names: ['a'] }] }),
      fault: 'states.s.tools.1.server: There is no tool server called "gone" in the scope.',
    },
    {
      hazard: 'a model with a call that nobody granted',
      state: model({ tools: [own('a', mail('gone'))] }),
      fault: 'states.s.tools.0.call.mailbox: There is no mailbox called "gone" in the scope.',
    },
    {
      hazard: 'a model that knows two tools by one name',
      state: model({ tools: [{ server: 'files', names: ['a.b', 'c'] }, own('files_a_b')] }),
      fault: 'states.s.tools: The model would know two tools as "files_a_b".',
    },
    {
      hazard: 'a budget that nothing is counted against',
      state: model({ costBudget: 1 }),
      fault: 'states.s.costBudget: "small" has no prices in the scope, so this budget would never be used up.',
    },
    {
      hazard: 'a budget that only half is counted against',
      state: model({ model: 'half', costBudget: 1 }),
      fault: 'states.s.costBudget: "half" has no prices in the scope, so this budget would never be used up.',
    },
    {
      hazard: 'a fork with nothing beside it',
      state: fork({ branches: { one: 'end' } }),
      fault: 'states.s.branches: A fork has 2 to 16 branches; this one has 1.',
    },
    {
      hazard: 'a fork that nobody can follow',
      state: fork({ branches: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`b${index}`, 'end'])) }),
      fault: 'states.s.branches: A fork has 2 to 16 branches; this one has 17.',
    },
    {
      hazard: 'a fork that ends in something else',
      state: fork({ join: 'end' }),
      fault: 'states.s.join: "end" is not a join state, so the branches could not end there.',
    },
    {
      hazard: 'a join that waits for more branches than there are',
      state: fork({ join: 'big' }),
      fault: 'states.s.join: "big" needs 3 branches, and this fork has 2.',
    },
    {
      hazard: 'two forks that end in one join',
      state: fork({ join: 'shared' }),
      fault: 'states.s.join: Two forks end in the same join; give each its own.',
    },
    {
      hazard: 'a join that nothing arrives at',
      state: join(),
      fault: 'states.s: No fork ends in this join, so nothing could ever arrive.',
    },
  ])('$hazard is let through', ({ state, fault }) => {
    const others = { j: join(), big: join({ need: 3 }), shared: join(), other: fork({ join: 'shared' }) };
    expect(faultsOf(state, others)).toEqual([fault]);
  });

  it('is a fork into a state that is not there, which is said once', () => {
    expect(faultsOf(fork({ join: 'gone' }))).toEqual([]);
  });
});
