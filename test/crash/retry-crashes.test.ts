import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Receiver } from '../harness/receiver.ts';
import { effectOf, writeGraph } from '../harness/strategies.ts';
import { GraphScenario } from './graph-scenario.ts';
import type { RunLook } from './graph-scenario.ts';

/** Three attempts in all, a good while apart, so that a host can be killed in between. */
const RETRY = 'retry: { attempts: 3, firstDelayMs: 1500, factor: 1 }';

describe('a retry: SIGKILL while it is waited for', { concurrent: true, timeout: 300_000 }, () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  function scenarioOf(name: string): { scenario: GraphScenario; path: string } {
    const path = `/keyed/${name}`;
    const url = `${receiver.origin}${path}`;
    const call = `{ tool: http.request, method: POST, url: '${url}' }`;
    const states = {
      pay: `{ type: tool, call: ${call}, effect: ${effectOf('keyed', url)}, ${RETRY}, onSuccess: finish }`,
    };
    const file = writeGraph({ agentId: name, origin: receiver.origin, start: 'pay', states });
    return { scenario: new GraphScenario(name, file), path };
  }

  function runOf(
    runs: readonly RunLook[],
  ): Pick<RunLook, 'phase' | 'ending' | 'recovery'> & { progress: readonly string[] } {
    const [run] = runs;
    if (run === undefined) throw new Error('There is no run.');
    expect(run.effects.map(({ key, sentAs }) => [key, sentAs.length])).toEqual([['pay#1', 1]]);
    const { phase, ending, recovery } = run;
    return { phase, ending, recovery, progress: run.effects[0]?.progress ?? [] };
  }

  function keysAt(path: string): Set<string | null> {
    return new Set(receiver.received.filter((each) => each.path === path).map((each) => each.key));
  }

  test('each start begins to count anew, waits for ever, or uses another key', async () => {
    const { scenario, path } = scenarioOf('retry-count');
    receiver.behaviour = (request) => (request.path.startsWith('/keyed/retry-count') ? 'refuse' : 'answer');
    const death = await scenario.crashAt('after-settle');
    expect(runOf(death.runs)).toEqual({ phase: 'waiting', ending: null, recovery: [], progress: ['settled'] });
    const second = await scenario.start('after-settle');
    const later = await scenario.dies(second);
    expect(runOf(later.runs)).toMatchObject({ phase: 'waiting', progress: ['settled', 'settled'] });
    const first = await scenario.survive([]);
    expect(runOf(first.runs)).toMatchObject({
      ending: 'failed-was-sent',
      recovery: [],
      progress: ['settled', 'settled', 'settled'],
    });
    expect(await scenario.survive([])).toEqual(first);
    expect([receiver.hits(path), keysAt(path).size]).toEqual([3, 1]);
  });

  test('the second attempt, killed on its way, is forgotten and the count goes on behind it', async () => {
    const { scenario, path } = scenarioOf('unclear-retry');
    receiver.behaviour = (request) =>
      request.path === '/keyed/retry-count' || receiver.hits(path) === 1 ? 'refuse' : 'answer';
    const death = await scenario.crashAt('after-effect', 2);
    expect(runOf(death.runs)).toMatchObject({ phase: 'acting', progress: ['settled', 'in-flight'] });
    const first = await scenario.survive([]);
    expect(runOf(first.runs)).toMatchObject({
      ending: 'done',
      recovery: ['in-doubt', 'repeated'],
      progress: ['settled', 'in-flight', 'settled'],
    });
    expect(await scenario.survive([])).toEqual(first);
    expect([receiver.hits(path), receiver.effects(path), keysAt(path).size]).toEqual([3, 1, 1]);
  });
});
