import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openHeadlessServer } from '../../src/main/headless/server.ts';
import type { HeadlessServer } from '../../src/main/headless/server.ts';
import { createFakeApplication, createMemoryLog } from './fake-application.ts';

const QUICK = {
  headersMs: 600,
  requestMs: 600,
  checkEveryMs: 50,
  keepAliveMs: 600,
  idleConnections: 16,
  pingEveryMs: 200,
};
const digest = 'a'.repeat(64);
let rendererFolder = '';
let server: HeadlessServer;
let application: ReturnType<typeof createFakeApplication>;
let log: ReturnType<typeof createMemoryLog>;

beforeAll(() => {
  rendererFolder = mkdtempSync(path.join(tmpdir(), 'fencepost-headless-'));
  mkdirSync(path.join(rendererFolder, 'assets'));
  writeFileSync(path.join(rendererFolder, 'index.html'), 'the window');
});
afterAll(() => rmSync(rendererFolder, { recursive: true, force: true }));

beforeEach(async () => {
  application = createFakeApplication();
  log = createMemoryLog();
  const opened = await openHeadlessServer({ application, rendererFolder, port: 0, log, limits: QUICK });
  if (!opened.ok) throw new Error(opened.error.message);
  server = opened.value;
});
afterEach(() => server.close());

interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Node's own client: `fetch` would not let a test forge `Host`. */
function ask(
  target: string,
  options: { method?: string; headers?: http.OutgoingHttpHeaders; body?: string } = {},
): Promise<Reply> {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port: server.port, path: target, method, headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    request.once('error', reject).end(body);
  });
}

const origin = () => `http://127.0.0.1:${server.port}`;
const tokenOf = (link: string) => link.split('#', 2)[1] ?? '';
const signIn = (token: string, headers: http.OutgoingHttpHeaders = { origin: origin() }) =>
  ask('/session', { method: 'POST', headers, body: token });

async function cookie(): Promise<string> {
  const answer = await signIn(tokenOf(server.newLink()));
  return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

/** What an attempt at the socket ends with: the refusal's status, or the open socket. */
function connect(headers: http.OutgoingHttpHeaders, target = '/bridge'): Promise<WebSocket | number> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${target}`, {
    headers: headers as Record<string, string>,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', reject);
  });
}

async function openSocket(): Promise<WebSocket> {
  const socket = await connect({ cookie: await cookie(), origin: origin() });
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  return socket;
}

function nextMessage(socket: WebSocket): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')) as Record<string, unknown>));
  });
}

describe('without a session', () => {
  it.each(['/', '/index.html', '/assets/x.js', '/bridge', '/nothing', '/session', '/..%2f'])(
    'GET %s is 401',
    async (target) => {
      const answer = await ask(target);
      expect(answer.status).toBe(401);
      expect(answer.body).not.toContain('the window');
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  it('the start page is all there is, with the same policy and nothing inline', async () => {
    const page = await ask('/start');
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/<script>|<style|\son\w+=/u);
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it.each(['', 'wrong', 'A'.repeat(43), '\u0000'])('the token %j is 401', async (token) => {
    server.newLink();
    const answer = await signIn(token);
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('a token works once', async () => {
    const token = tokenOf(server.newLink());
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const first = await signIn(token);
    expect(first.status).toBe(200);
    expect(first.headers['set-cookie']?.[0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/u);
    expect((await signIn(token)).status).toBe(401);
  });

  it('two sign-ins at the same moment are one', async () => {
    const token = tokenOf(server.newLink());
    const statuses = (await Promise.all([signIn(token), signIn(token), signIn(token)])).map((answer) => answer.status);
    expect(statuses.toSorted()).toEqual([200, 401, 401]);
  });

  it('a new link kills the one before it', async () => {
    const old = tokenOf(server.newLink());
    server.newLink();
    expect((await signIn(old)).status).toBe(401);
  });

  it('a new link is for who can read the secret beside the data', async () => {
    expect((await ask('/link', { method: 'POST' })).status).toBe(401);
    expect((await ask('/link', { method: 'POST', headers: { authorization: 'Bearer x' } })).status).toBe(401);
    const given = await ask('/link', { method: 'POST', headers: { authorization: `Bearer ${server.linkSecret}` } });
    expect((await signIn(tokenOf(given.body))).status).toBe(200);
  });

  it('no token and no secret is ever in the log', async () => {
    const token = tokenOf(server.newLink());
    await signIn(`${token}x`);
    const signedIn = await cookie();
    await ask('/', { headers: { cookie: signedIn } });
    const text = JSON.stringify(log.lines);
    for (const secret of [token, server.linkSecret, signedIn.split('=', 2)[1] ?? ''])
      expect(text).not.toContain(secret);
  });

  it.each([
    ['none', () => ''],
    ['a made-up one', () => `fencepost-${server.port}=${'A'.repeat(43)}`],
    ['an empty one', () => `fencepost-${server.port}=`],
    ['one of another port', () => `fencepost-1=${'A'.repeat(43)}`],
  ])('the socket with %s for a cookie is 401', async (_name, made) => {
    expect(await connect({ cookie: made(), origin: origin() })).toBe(401);
  });
});

describe('from elsewhere', () => {
  it.each([
    'evil.example',
    'evil.example:80',
    'localhost',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.1.evil.example',
    '[::1]',
    '127.0.0.1@evil.example',
  ])('the host %j (DNS rebinding) is 403, signed in or not', async (host) => {
    const signedIn = await cookie();
    expect((await ask('/', { headers: { host, cookie: signedIn } })).status).toBe(403);
    expect((await ask('/start', { headers: { host } })).status).toBe(403);
    expect((await signIn(tokenOf(server.newLink()), { host, origin: origin() })).status).toBe(403);
    expect(await connect({ host, cookie: signedIn, origin: origin() })).toBe(403);
  });

  it.each([
    'http://evil.example',
    'null',
    'https://127.0.0.1',
    'http://127.0.0.1',
    'http://localhost:1',
    'file://',
    '',
  ])('the origin %j is 403, also with the cookie', async (foreign) => {
    const signedIn = await cookie();
    expect((await ask('/', { headers: { origin: foreign, cookie: signedIn } })).status).toBe(403);
    const token = tokenOf(server.newLink());
    expect((await signIn(token, { origin: foreign })).status).toBe(403);
    expect(await connect({ cookie: signedIn, origin: foreign })).toBe(403);
    // Refused before it was looked at, the token still works.
    expect((await signIn(token)).status).toBe(200);
  });

  it('a socket or a sign-in without an origin is 403', async () => {
    expect(await connect({ cookie: await cookie() })).toBe(403);
    expect((await signIn(tokenOf(server.newLink()), {})).status).toBe(403);
  });

  it('a page of another site or port may not embed or fetch anything, only link to it', async () => {
    const signedIn = await cookie();
    for (const site of ['cross-site', 'same-site']) {
      const headers = { cookie: signedIn, 'sec-fetch-site': site };
      expect(
        (await ask('/', { headers: { ...headers, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' } })).status,
      ).toBe(403);
      expect(
        (await ask('/', { headers: { ...headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' } })).status,
      ).toBe(403);
      expect(
        (await ask('/start', { headers: { ...headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } }))
          .status,
      ).toBe(200);
    }
  });

  it('no answer allows another origin', async () => {
    const answer = await ask('/start', {
      method: 'OPTIONS',
      headers: { origin: origin(), 'access-control-request-method': 'POST' },
    });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('with a session', () => {
  it('the window is served, and nothing beside it', async () => {
    const headers = { cookie: await cookie() };
    expect(await ask('/', { headers })).toMatchObject({ status: 200, body: 'the window' });
    expect((await ask('/..%2f..%2fetc%2fpasswd', { headers })).status).toBe(404);
    expect((await ask('/', { headers, method: 'DELETE' })).status).toBe(405);
  });

  it('two cookies of one name are none: one of them was planted', async () => {
    const good = await cookie();
    const headers = { cookie: `${good}; fencepost-${server.port}=planted` };
    expect((await ask('/', { headers })).status).toBe(401);
  });

  it('a call is answered by its id, and a commit is told', async () => {
    const socket = await openSocket();
    const answered = nextMessage(socket);
    socket.send(JSON.stringify({ id: 7, route: 'text.get', request: { digest } }));
    expect(await answered).toEqual({ id: 7, answer: { ok: true, value: { text: 'This is a fake.' } } });
    expect(application.calls[0]?.caller).toMatchObject({ surface: 'browser' });
    const told = nextMessage(socket);
    const notice = { sequence: 2, previousSequence: 1, runIds: ['r'], agentIds: [] };
    application.notify(notice);
    expect(await told).toEqual({ notice });
    socket.terminate();
  });

  it('a forged route is answered with a problem, not with a hang-up', async () => {
    const socket = await openSocket();
    for (const route of ['constructor', '__proto__', null]) {
      const answered = nextMessage(socket);
      socket.send(JSON.stringify({ id: 1, route, request: {} }));
      expect(await answered).toMatchObject({ id: 1, answer: { ok: false, error: { code: 'input-invalid' } } });
    }
    socket.terminate();
  });

  it('what is no call ends that line and nothing else, whatever it is', async () => {
    const signedIn = await cookie();
    const headers = { cookie: signedIn, origin: origin() };
    const malformed = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('{"id":', '[]', 'null', '{"id":"1"}', '{"id":1e999}', '{"__proto__":{"id":1}}', '{"id":-0.5}'),
    );
    await fc.assert(
      fc.asyncProperty(malformed, fc.boolean(), async (text, isBinary) => {
        const socket = await connect(headers);
        if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
        const ended = new Promise<number>((resolve) => socket.once('close', resolve));
        socket.send(isBinary ? Buffer.from(text) : text);
        expect(await ended).toBe(1_008);
      }),
      { numRuns: 60 },
    );
    expect(application.calls).toEqual([]);
    expect((await ask('/', { headers: { cookie: signedIn } })).status).toBe(200);
  });

  it('a message that is too large ends the line before it is read', async () => {
    const socket = await openSocket();
    const ended = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.once('error', () => undefined);
    socket.send('x'.repeat(8 * 1_048_576));
    expect(await ended).toBeOneOf([1_009, 1_006]);
    expect(application.calls).toEqual([]);
  });

  it('a page that does not answer a ping is let go', async () => {
    const socket = await openSocket();
    // A frozen page: its socket stays open and nobody reads it.
    socket.pause();
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => setTimeout(resolve, QUICK.pingEveryMs * 3));
    socket.resume();
    await ended;
  });
});

describe('bodies and connections that do not end', () => {
  it('a large body is cut off at the limit', async () => {
    const answer = await signIn('x'.repeat(100_000)).catch((cause: NodeJS.ErrnoException) => cause.code);
    expect(typeof answer === 'object' ? answer.status : answer).toBeOneOf([413, 'ECONNRESET', 'EPIPE']);
    expect((await ask('/start')).status).toBe(200);
  });

  it('a slow body gets 408 or a closed line, in time', async () => {
    const raw = net.connect(server.port, '127.0.0.1');
    let received = '';
    raw.on('data', (part) => (received += part.toString()));
    raw.on('error', () => undefined);
    raw.write(
      `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nOrigin: ${origin()}\r\nContent-Length: 43\r\n\r\n`,
    );
    const drip = setInterval(() => raw.write('a'), 100);
    const begun = performance.now();
    await new Promise((resolve) => raw.once('close', resolve));
    clearInterval(drip);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(received === '' || received.startsWith('HTTP/1.1 408')).toBe(true);
  });

  it('200 idle connections do not keep a browser out, and are closed', async () => {
    let open = 0;
    const sockets = Array.from({ length: 200 }, () => {
      const socket = net.connect(server.port, '127.0.0.1', () => (open += 1));
      socket.resume().on('error', () => undefined);
      socket.once('close', () => (open -= 1));
      return socket;
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect((await ask('/start')).status).toBe(200);
    await expect.poll(() => open).toBeLessThanOrEqual(QUICK.idleConnections);
    // And the rest when they have sent nothing in time.
    await expect.poll(() => open, { timeout: 5_000 }).toBe(0);
  });

  it('bytes that are no HTTP end the connection and nothing else', async () => {
    for (const bytes of [
      '\u0000\u0001',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n\r\n`,
      'CONNECT evil:1 HTTP/1.1\r\n\r\n',
    ]) {
      const raw = net.connect(server.port, '127.0.0.1');
      raw.on('error', () => undefined);
      raw.resume().write(bytes);
      await new Promise((resolve) => raw.once('close', resolve));
    }
    expect((await ask('/start')).status).toBe(200);
  });
});

it('listens on this machine’s own address only', async () => {
  const others = await Promise.allSettled([reach('::1'), reach('127.0.0.2')]);
  expect(others.map((one) => one.status)).toEqual(['rejected', 'rejected']);
});

function reach(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(server.port, host, () => (socket.destroy(), resolve()));
    socket.once('error', reject);
  });
}
