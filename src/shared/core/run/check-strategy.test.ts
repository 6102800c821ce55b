import { describe, expect, it } from 'vitest';
import { STRATEGY_EDGE_LIMIT, STRATEGY_STATE_LIMIT, strategySchema } from '../../contract/strategy.ts';
import type { Strategy } from '../../contract/strategy.ts';
import { approvalFor, checkStrategy } from './check-strategy.ts';

const call = { tool: 'shell', argv: ['true'] };
const DONE = { end: { type: 'done' } };

function strategy(states: object, start = 'end'): Strategy {
  return strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start, states });
}

const faultsOf = (states: object, start?: string) =>
  checkStrategy(strategy(states, start)).map((fault) => `${fault.path.join('.')}: ${fault.message}`);
const unknown = (path: string, name = 'gone') => `${path}: There is no state called "${name}".`;

describe('what is wrong inside a well-formed strategy', () => {
  it('a sound strategy is turned away', () => {
    const states = {
      ...DONE,
      pick: { type: 'choice', branches: [{ value: 'x', to: 'post' }], otherwise: 'pause' },
      ask: { type: 'approve', question: 'Go on?', of: 'post', onSuccess: 'post', onFailure: 'end' },
      post: { type: 'tool', call, onSuccess: 'end', onFailure: 'stop', onUnclear: 'stop' },
      pause: { type: 'wait', forMs: 1, onSuccess: 'end' },
      stop: { type: 'fail' },
    };
    expect(faultsOf(states, 'pick')).toEqual([]);
  });

  it.each([
    { edge: 'start', states: DONE, start: 'gone', fault: unknown('start') },
    {
      edge: 'a start that every object has',
      states: DONE,
      start: 'constructor',
      fault: unknown('start', 'constructor'),
    },
    {
      edge: 'onSuccess',
      states: { post: { type: 'tool', call, onSuccess: 'gone' } },
      fault: unknown('states.post.onSuccess'),
    },
    {
      edge: 'onFailure',
      states: { post: { type: 'tool', call, onSuccess: 'end', onFailure: 'gone' } },
      fault: unknown('states.post.onFailure'),
    },
    {
      edge: 'onUnclear',
      states: { post: { type: 'tool', call, onSuccess: 'end', onUnclear: 'gone' } },
      fault: unknown('states.post.onUnclear'),
    },
    {
      edge: 'of',
      states: { ask: { type: 'approve', question: '?', of: 'gone', onSuccess: 'end' } },
      fault: unknown('states.ask.of'),
    },
    {
      edge: 'of, to a name that every object has,',
      states: { ask: { type: 'approve', question: '?', of: 'constructor', onSuccess: 'end' } },
      fault: unknown('states.ask.of', 'constructor'),
    },
    {
      edge: 'a wait',
      states: { pause: { type: 'wait', forMs: 1, onSuccess: 'gone' } },
      fault: unknown('states.pause.onSuccess'),
    },
    {
      edge: 'a branch',
      states: {
        pick: {
          type: 'choice',
          branches: [
            { value: 'x', to: 'end' },
            { value: 'x', to: 'gone' },
          ],
          otherwise: 'end',
        },
      },
      fault: unknown('states.pick.branches.1.to'),
    },
    {
      edge: 'otherwise',
      states: { pick: { type: 'choice', branches: [{ value: 'x', to: 'end' }], otherwise: 'gone' } },
      fault: unknown('states.pick.otherwise'),
    },
  ])('$edge leads nowhere', ({ states, start, fault }) => {
    expect(faultsOf({ ...DONE, ...states }, start)).toEqual([fault]);
  });

  it('an approval guards something that sends nothing', () => {
    const states = { ...DONE, ask: { type: 'approve', question: '?', of: 'end', onSuccess: 'end' } };
    expect(faultsOf(states)).toEqual(['states.ask.of: "end" is not a tool state, so there is nothing to allow.']);
  });

  it('a script cannot be guarded', () => {
    const script = { type: 'script', call: { tool: 'script', interpreter: 'sh', source: '' }, onSuccess: 'end' };
    const states = { ...DONE, script, ask: { type: 'approve', question: '?', of: 'script', onSuccess: 'script' } };
    expect(faultsOf(states)).toEqual([]);
  });

  it('a strategy can never finish', () => {
    const fault = 'states: A strategy needs a state of type "done", or it could never finish.';
    expect(faultsOf({ stop: { type: 'fail' } }, 'stop')).toEqual([fault]);
  });

  it('a summary that nothing can ever fill is found only in the list of runs', () => {
    const parsed = strategySchema.parse({ ...strategy(DONE), summary: 'For {{ process.env }}' });
    expect(checkStrategy(parsed).map((fault) => fault.path.join('.'))).toEqual(['summary']);
  });

  it('more edges than anybody can follow are walked', () => {
    const branches = Array.from({ length: 64 }, () => ({ to: 'end' }));
    const many = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`s${index}`, { type: 'choice', branches, otherwise: 'end' }]),
      );
    expect(faultsOf({ ...DONE, ...many(31) })).toEqual([]);
    expect(faultsOf({ ...DONE, ...many(32) })).toEqual([
      `states: A strategy may have at most ${STRATEGY_EDGE_LIMIT} edges.`,
    ]);
  });

  it('a strategy of any size is walked', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, { type: 'done' }]));
    expect(faultsOf(many(STRATEGY_STATE_LIMIT), 's0')).toEqual([]);
    expect(faultsOf(many(STRATEGY_STATE_LIMIT + 1), 'gone')).toEqual([
      `states: A strategy may have at most ${STRATEGY_STATE_LIMIT} states.`,
    ]);
  });
});

describe('the approval that guards a tool state', () => {
  const guarded = strategy({
    ...DONE,
    post: { type: 'tool', call, onSuccess: 'end' },
    ask: { type: 'approve', question: '?', of: 'post', onSuccess: 'post' },
  });

  it('a guarded effect goes out without its answer', () => {
    expect(approvalFor(guarded, 'post')).toBe('ask');
  });

  it('an effect waits for an answer that nobody asks for', () => {
    expect(approvalFor(guarded, 'end')).toBeNull();
    expect(approvalFor(strategy(DONE), 'post')).toBeNull();
  });
});

describe('a scope that a person could not read before the run', () => {
  const scoped = (scope: object) =>
    checkStrategy(strategySchema.parse({ fencepost: 1, id: 'a', name: 'A', start: 'end', states: DONE, scope })).map(
      (fault) => fault.path.join('.'),
    );

  it.each([
    [{ folders: ['{{ steps.read.output.stdout }}'] }, ['scope.folders.0']],
    [{ folders: ['/home/{{ run.id }}'] }, ['scope.folders.0']],
    [{ programs: ['git', '{{ input.program }}'] }, ['scope.programs.1']],
    [{ hosts: ['{{ steps.read.output.body }}'] }, ['scope.hosts.0']],
    [{ folders: ['{{ input.folder + steps.read.output.stdout }}'] }, ['scope.folders.0']],
    [{ folders: ['{{ input.folder.x }}'] }, ['scope.folders.0']],
    [{ recipients: ['ana@example.com', '{{ steps.read.output.body }}'] }, ['scope.recipients.1']],
    [{ servers: { files: { command: ['node', '{{ input.program }}'] } } }, ['scope.servers.files.command.1']],
    [{ servers: { files: { url: 'https://x.example/{{ run.id }}' } } }, ['scope.servers.files.url']],
    [
      { mailboxes: { me: { from: 'me@x.example', smtp: { host: '{{ input.host }}', port: 25 } } } },
      ['scope.mailboxes.me.smtp.host'],
    ],
    [{ models: { small: { provider: 'openai', model: '{{ input.model }}' } } }, ['scope.models.small.model']],
  ])('%j widens what was granted with what a step or an input says', (scope, paths) => {
    expect(scoped(scope)).toEqual(paths);
  });

  it('a folder that a person types in is turned away', () => {
    expect(scoped({ folders: ['{{ input.folder }}/notes'], programs: ['git'], hosts: ['api.example.com'] })).toEqual(
      [],
    );
  });
});
