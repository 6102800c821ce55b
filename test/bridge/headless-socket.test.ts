import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIGEST, nextMessage, QUICK, useHeadlessBench } from './headless-bench.ts';

const bench = useHeadlessBench();

describe('with a session', () => {
  it('the window is served, and nothing beside it', async () => {
    const headers = { cookie: await bench().cookie() };
    expect(await bench().ask('/', { headers })).toMatchObject({ status: 200, body: 'the window' });
    expect((await bench().ask('/..%2f..%2fetc%2fpasswd', { headers })).status).toBe(404);
    expect((await bench().ask('/', { headers, method: 'DELETE' })).status).toBe(405);
  });

  it('two cookies of one name are none: one of them was planted', async () => {
    const good = await bench().cookie();
    const headers = { cookie: `${good}; fencepost-${bench().server.port}=planted` };
    expect((await bench().ask('/', { headers })).status).toBe(401);
  });

  it('a call is answered by its id, and a commit is told', async () => {
    const socket = await bench().openSocket();
    const answered = nextMessage(socket);
    socket.send(JSON.stringify({ id: 7, route: 'text.get', request: { digest: DIGEST } }));
    expect(await answered).toEqual({ id: 7, answer: { ok: true, value: { text: 'This is a fake.' } } });
    expect(bench().application.calls[0]?.caller).toMatchObject({ surface: 'browser' });
    const told = nextMessage(socket);
    const notice = { sequence: 2, previousSequence: 1, runIds: ['r'], agentIds: [] };
    bench().application.notify(notice);
    expect(await told).toEqual({ notice });
    socket.terminate();
  });

  it('a forged route is answered with a problem, not with a hang-up', async () => {
    const socket = await bench().openSocket();
    for (const route of ['constructor', '__proto__', null]) {
      const answered = nextMessage(socket);
      socket.send(JSON.stringify({ id: 1, route, request: {} }));
      expect(await answered).toMatchObject({ id: 1, answer: { ok: false, error: { code: 'input-invalid' } } });
    }
    socket.terminate();
  });

  it('what is no call ends that line and nothing else, whatever it is', async () => {
    const signedIn = await bench().cookie();
    const headers = { cookie: signedIn, origin: bench().origin };
    const malformed = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('{"id":', '[]', 'null', '{"id":"1"}', '{"id":1e999}', '{"__proto__":{"id":1}}', '{"id":-0.5}'),
    );
    await fc.assert(
      fc.asyncProperty(malformed, fc.boolean(), async (text, isBinary) => {
        const socket = await bench().connect(headers);
        if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
        const ended = new Promise<number>((resolve) => socket.once('close', resolve));
        socket.send(isBinary ? Buffer.from(text) : text);
        expect(await ended).toBe(1_008);
      }),
      { numRuns: 60 },
    );
    expect(bench().application.calls).toEqual([]);
    expect((await bench().ask('/', { headers: { cookie: signedIn } })).status).toBe(200);
  });

  it('a message that is too large ends the line before it is read', async () => {
    const socket = await bench().openSocket();
    const ended = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.once('error', () => undefined);
    socket.send('x'.repeat(8 * 1_048_576));
    expect(await ended).toBeOneOf([1_009, 1_006]);
    expect(bench().application.calls).toEqual([]);
  });

  it('a page that does not answer a ping is let go', async () => {
    const socket = await bench().openSocket();
    // A frozen page: its socket stays open and nobody reads it.
    socket.pause();
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => setTimeout(resolve, QUICK.pingEveryMs * 3));
    socket.resume();
    await ended;
  });
});
