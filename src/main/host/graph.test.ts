import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { StateId } from '../../shared/contract/identifiers.ts';
import { goBackTo } from '../store/projections/visits.ts';
import { findRun } from '../store/rows.ts';
import { useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { enterState } from '../store/transactions/enter-state.ts';
import { HostBench } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();

/** An agent that may call the receiver, with these states. */
function agentText(agentId: string, origin: string, of: { start: string; states: Record<string, string> }): string {
  const states = Object.entries({ ...of.states, finish: '{ type: done }' }).map(([name, text]) => `  ${name}: ${text}`);
  return `fencepost: 1
id: ${agentId}
name: Test ${agentId}
scope: { hosts: ['${new URL(origin).host}'] }
start: ${of.start}
states:
${states.join('\n')}
`;
}

function post(url: string, more: string): string {
  return `{ type: tool, call: { tool: http.request, method: POST, url: '${url}', body: 'for {{ run.id }}' }, ${more} }`;
}

const FRUIT = `'["apple", "pear", "plum"]'`;

describe('a graph', { timeout: 30_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  beforeEach(async () => {
    receiver = await Receiver.start();
    bench = await HostBench.start(newFolder());
  });
  afterEach(async () => {
    // What still hangs there ends first, so that the host need not wait for it.
    await receiver.close();
    await bench.close();
  });

  it('works on an item twice, loses one, or goes on before all have ended', async () => {
    const { origin } = receiver;
    const states = {
      each: `{ type: workset, items: ${FRUIT}, do: send, parallel: 2, onSuccess: report }`,
      send: post(`${origin}/items/{{ item }}`, 'onSuccess: finish'),
      report: post(`${origin}/report/{{ steps.each.output.done }}`, 'onSuccess: finish'),
    };
    const agentId = await bench.agent(agentText('fruit', origin, { start: 'each', states }));
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.received.map((each) => each.path).toSorted()).toEqual([
      '/items/apple',
      '/items/pear',
      '/items/plum',
      '/report/3',
    ]);
    expect(receiver.received.at(-1)?.path).toBe('/report/3');
    expect(new Set(receiver.received.map((each) => each.key)).size).toBe(4);
  });

  it('begins branches anew, under new numbers, where a run was taken back and comes to them again', async () => {
    const { origin } = receiver;
    const states = {
      first: post(`${origin}/first`, 'onSuccess: each'),
      each: `{ type: workset, items: ${FRUIT}, do: send, parallel: 3, onSuccess: finish }`,
      send: post(`${origin}/items/{{ item }}`, 'onSuccess: finish'),
    };
    receiver.behaviour = ({ path }) => (path === '/first' ? 'answer' : 'hang');
    const runId = await bench.run(await bench.agent(agentText('again', origin, { start: 'first', states })));
    await bench.until('all items are on their way', () => receiver.received.length === 4);
    const { control } = bench.host;
    const connection = control.connection();
    const run = connection === null ? null : findRun(connection.db, runId);
    const strategy = run === null ? null : control.strategyOf(run.revision_digest);
    if (connection === null || run === null || strategy === null) throw new Error('The run is not there.');
    const comeAgain = connection.db.transaction(() => {
      goBackTo(connection.db, { runId, stateId: 'first' as StateId, stateVisit: 1 });
      enterState(connection, run, strategy, 'each' as StateId, bench.clock.read().wallMs);
    });
    comeAgain();
    expect([bench.count('run.branching'), bench.count('run.branched')]).toEqual([2, 3]);
    const visits = bench.rows(
      `SELECT DISTINCT visit FROM visits JOIN runs USING (run_id) WHERE parent_run_id = ?`,
      runId,
    );
    expect(visits).toEqual([{ visit: 1 }]);
  });

  it('calls a workset done although an item failed, or forgets what was sent in a branch', async () => {
    const { origin } = receiver;
    receiver.behaviour = (request) => (request.path.endsWith('pear') ? 'refuse' : 'answer');
    const states = {
      each: `{ type: workset, items: ${FRUIT}, do: send, onSuccess: finish }`,
      send: post(`${origin}/items/{{ item }}`, 'onSuccess: finish'),
    };
    const agentId = await bench.agent(agentText('fruit', origin, { start: 'each', states }));
    const runId = await bench.run(agentId);
    expect(await bench.ended(runId)).toBe('failed-was-sent');
    expect(bench.rows('SELECT last_event FROM runs WHERE run_id = ?', runId)).toEqual([
      { last_event: '2 of 3 items are done' },
    ]);
  });

  it('begins something although two items have one name, or there are too many', async () => {
    const { origin } = receiver;
    const states = {
      each: `{ type: workset, items: '["apple", "apple"]', do: send, onSuccess: finish, onFailure: [{ class: permanent, to: told }] }`,
      send: post(`${origin}/items/{{ item }}`, 'onSuccess: finish'),
      told: post(`${origin}/told`, 'onSuccess: finish'),
    };
    const agentId = await bench.agent(agentText('fruit', origin, { start: 'each', states }));
    expect(await bench.ended(await bench.run(agentId))).toBe('done');
    expect(receiver.received.map((each) => each.path)).toEqual(['/told']);
  });

  it('joins before every branch has arrived, or does what follows more than once', async () => {
    const { origin } = receiver;
    const states = {
      both: '{ type: fork, branches: { left: one, right: two }, join: together }',
      one: post(`${origin}/one`, 'onSuccess: one-more'),
      'one-more': post(`${origin}/one-more`, 'onSuccess: together'),
      two: post(`${origin}/two`, 'onSuccess: together'),
      together: '{ type: join, onSuccess: last }',
      last: post(`${origin}/last/{{ steps.two.output.status }}`, 'onSuccess: finish'),
    };
    const agentId = await bench.agent(agentText('both', origin, { start: 'both', states }));
    expect(await bench.ended(await bench.run(agentId))).toBe('done');
    const paths = receiver.received.map((each) => each.path);
    expect(paths.toSorted()).toEqual(['/last/200', '/one', '/one-more', '/two']);
    expect(paths.at(-1)).toBe('/last/200');
    expect(bench.count('successor.released')).toBe(6);
  });

  it('tries again under another key, more often than it may, or what could happen twice', async () => {
    const { origin } = receiver;
    receiver.behaviour = (request) =>
      receiver.hits(request.path) <= 2 || request.path === '/blind/pay' ? 'refuse' : 'answer';
    const retry = 'retry: { attempts: 3, firstDelayMs: 20 }';
    const states = {
      keyed: post(
        `${origin}/keyed/pay`,
        `effect: { kind: idempotent-by-key, dedupeWindowMs: 600000 }, ${retry}, onSuccess: blind`,
      ),
      blind: post(
        `${origin}/blind/pay`,
        `effect: { kind: blind }, ${retry}, onSuccess: finish, onFailure: [{ class: transient, to: finish }]`,
      ),
    };
    const agentId = await bench.agent(agentText('retry', origin, { start: 'keyed', states }));
    expect(await bench.ended(await bench.run(agentId))).toBe('done');
    expect(receiver.hits('/keyed/pay')).toBe(3);
    expect(receiver.effects('/keyed/pay')).toBe(1);
    expect(receiver.hits('/blind/pay')).toBe(1);
  });

  it('is tried again, after a sleep, by a key that its target has forgotten', async () => {
    const { origin } = receiver;
    receiver.behaviour = () => 'refuse';
    const effect = 'effect: { kind: idempotent-by-key, dedupeWindowMs: 600000 }';
    const pay = `${effect}, retry: { attempts: 3, firstDelayMs: 60000 }, onSuccess: finish`;
    const states = { pay: post(`${origin}/keyed/pay`, `${pay}, onFailure: [{ class: transient, to: finish }]`) };
    const runId = await bench.run(await bench.agent(agentText('asleep', origin, { start: 'pay', states })));
    await bench.reaches(runId, 'waiting');
    bench.clock.shift({ wallMs: 3_600_000, monotonicMs: 3_600_000, bootMs: 3_600_000 });
    expect(await bench.ended(runId)).toBe('done');
    expect([receiver.hits('/keyed/pay'), bench.count('intent.refused')]).toEqual([1, 1]);
  });

  it('takes a loop for the same visit, or never leaves it', async () => {
    const { origin } = receiver;
    const states = {
      again: post(
        `${origin}/again`,
        `onSuccess: [{ when: 'steps.again.output.status == 404', to: finish }, { to: pick }]`,
      ),
      pick: `{ type: choice, branches: [{ value: '{{ steps.count.output.status }}', is: '200', to: finish }], otherwise: finish }`,
      count: post(`${origin}/count`, 'onSuccess: loop'),
      loop: `{ type: choice, branches: [{ when: 'has(steps.again)', to: finish }], otherwise: again }`,
    };
    const agentId = await bench.agent(agentText('loop', origin, { start: 'count', states }));
    expect(await bench.ended(await bench.run(agentId))).toBe('done');
    expect(receiver.received.map((each) => each.path)).toEqual(['/count', '/again']);
  });

  it('lets items leave after a stop, or ends as anything but stopped', async () => {
    const { origin } = receiver;
    receiver.behaviour = () => 'hang';
    const states = {
      each: `{ type: workset, items: ${FRUIT}, do: send, parallel: 1, onSuccess: finish }`,
      send: post(`${origin}/items/{{ item }}`, 'onSuccess: finish'),
    };
    const agentId = await bench.agent(agentText('fruit', origin, { start: 'each', states }));
    const arrived = receiver.next(() => true);
    const runId = await bench.run(agentId);
    await arrived;
    await bench.host.control.stopRun(runId, 'Test');
    expect(bench.look(runId)?.ending).toBeNull();
    expect(bench.rows(`SELECT ending FROM runs WHERE parent_run_id = ? AND ending = 'stopped'`, runId)).toHaveLength(2);
    expect(receiver.received).toHaveLength(1);
  });

  it('holds the branches of a paused run no back, or loses one on the way', async () => {
    const { origin } = receiver;
    const states = {
      each: `{ type: workset, items: ${FRUIT}, do: send, parallel: 1, onSuccess: finish }`,
      send: post(`${origin}/items/{{ item }}`, 'onSuccess: finish'),
    };
    const agentId = await bench.agent(agentText('fruit', origin, { start: 'each', states }));
    let paused: Promise<unknown> = Promise.resolve();
    bench.at('before-effect', () => {
      const [run] = bench.rows<{ run_id: never }>('SELECT run_id FROM runs WHERE parent_run_id IS NULL');
      if (run !== undefined) paused = bench.host.control.pauseRun(run.run_id, 'Test');
    });
    const runId = await bench.run(agentId);
    await bench.until('the first item is settled', () => bench.count('settle.recorded') === 1);
    await paused;
    const before = receiver.received.length;
    await bench.host.control.resumeRun(runId, 'Test');
    expect(await bench.ended(runId)).toBe('done');
    expect(before).toBe(1);
    expect(receiver.received).toHaveLength(3);
  });
});
