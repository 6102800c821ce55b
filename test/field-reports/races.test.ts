import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/shared/contract/identifiers.ts';
import { Setting } from './setting.ts';
import { quietly, until } from './steady-time.ts';
import { agentText, sendStep } from './strategies.ts';

/** So many runs did it twice where it was reported: all of them. */
const RUNS = 10;
const FAST_MS = 300;
/** So long that a lease does not run out, while all runs are waited for. */
const TTL_MS = 60_000;

describe('branches that race', { concurrent: true }, () => {
  // inngest/inngest#4897: what follows the first of them is begun by each of them.
  it('begin what follows the first of them once more when the last one is there, in some of ten runs', () =>
    Setting.with(async (setting) => {
      const { receiver, origin } = setting;
      let letSlowOnesEnd = (): void => undefined;
      const slow = new Promise<void>((resolve) => (letSlowOnesEnd = resolve));
      receiver.answerAfter = ({ path }) =>
        path === '/race/slow' ? slow : quietly(path === '/race/fast' ? FAST_MS : 0);
      const send = (name: string, next: string): string => sendStep({ url: `${origin}/race/${name}`, next });
      const states = {
        race: '{ type: fork, branches: { a: fast, c: slow }, join: first }',
        fast: send('fast', 'follow'),
        follow: send('follow', 'first'),
        slow: send('slow', 'first'),
        first: '{ type: join, need: any, onSuccess: last }',
        last: send('last', 'finish'),
      };
      const device = setting.device();
      const agentId = await device.agent(agentText({ agentId: 'race', origin, states, ttlMs: TTL_MS }));
      device.start();
      const runIds: RunId[] = [];
      for (let run = 0; run < RUNS; run += 1) runIds.push(await device.run(agentId, `press ${run}`));
      await until('every fast one was followed', () => receiver.hits('/race/follow') === RUNS);
      for (let wakes = 0; wakes < 10; wakes += 1) {
        device.host.wake();
        await quietly(20);
      }
      expect(receiver.hits('/race/last'), 'the slow ones were not waited for').toBe(0);
      letSlowOnesEnd();
      for (const runId of runIds) expect(await device.ended(runId)).toBe('done');
      for (const name of ['fast', 'follow', 'slow', 'last']) expect(receiver.hits(`/race/${name}`), name).toBe(RUNS);
      expect(new Set(receiver.received.map(({ key }) => key)).size, 'two effects have one key').toBe(4 * RUNS);
    }));
});
