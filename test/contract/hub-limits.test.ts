import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HUB_LIMITS } from '../../src/main/hub/hub-limits.ts';
import type { HubLimits } from '../../src/main/hub/hub-limits.ts';
import { HUB_PATHS } from '../../src/main/hub/hub-wire.ts';
import { AGENT, ANNA } from './coordinator-bench.ts';
import { startTestHub } from './hub-benches.ts';
import type { DeviceKeys, RunningHub } from './hub-benches.ts';
import { connectSilently, expectNothingGranted, openSession, send, sendProved } from './hub-stranger.ts';
import { must } from './sqlite-benches.ts';

let running: RunningHub;
let anna: DeviceKeys;

/** Only what is about slowness gets short times: a busy machine would be slow enough for them in any test. */
async function begin(limits: Partial<HubLimits> = {}): Promise<void> {
  running = await startTestHub(limits);
  anna = await running.letIn(ANNA);
}

afterEach(async () => {
  await expectNothingGranted(running, anna);
  await running.close();
});

describe('what is too much', () => {
  it('refuses a body that is too large, of a stranger and of a device', async () => {
    await begin();
    const large = 'x'.repeat(HUB_LIMITS.bodyBytes + 1);
    expect(
      await send(running, { path: HUB_PATHS.pair, body: large.slice(0, HUB_LIMITS.strangerBodyBytes + 1) }),
    ).toMatchObject({
      status: 413,
    });
    const session = await openSession(running, anna);
    const asked = await sendProved(running, session, { path: HUB_PATHS.ask, body: large, sequence: 1 });
    expect(asked === null || asked.status === 413).toBe(true);
  });

  it.each([
    ['head', 'POST /v1/ask HTTP/1.1\r\nHost: '],
    ['body', `POST /v1/challenge HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\n{`],
  ])('lets go of somebody who sends a %s and never ends it', async (_what, start) => {
    await begin({ headersMs: 300, requestMs: 600, checkEveryMs: 50 });
    const socket = await connectSilently(running);
    socket.resume();
    const closed = once(socket, 'close');
    socket.write(start.replace('HOST', `127.0.0.1:${running.hub().port}`));
    await closed;
  });

  it('answers a paired device while 1,000 connections are held open, on those it has and on new ones', async () => {
    await begin();
    const client = await running.connect(anna);
    const sockets: Socket[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => connectSilently(running)))));
    }
    must(await client.current(AGENT));
    const other = await running.connect(await running.letIn('ben'));
    must(await other.current(AGENT));
    await expect
      .poll(() => sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length)
      .toBeLessThanOrEqual(HUB_LIMITS.strangersPerAddress);
    for (const socket of sockets) socket.destroy();
  });
});
