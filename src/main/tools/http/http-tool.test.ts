import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolCall } from '../../../shared/contract/tool-calls.ts';
import { context, createBench } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import { OUTPUT_LIMIT_BYTES } from '../tool.ts';
import { allowedUrl } from './host-allowed.ts';

type HttpCall = Extract<ToolCall, { tool: 'http.request' }>;
type Answer = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => void;

let server: http.Server;
let other: http.Server;
let answer: Answer;
let seen: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[];
let bench: ToolBench;
let origin: string;
let otherOrigin: string;

async function listen(): Promise<http.Server> {
  const started = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return started;
}

function hostOf(of: http.Server): string {
  return `127.0.0.1:${(of.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  seen = [];
  answer = (_, response) => response.end('fine');
  [server, other] = await Promise.all([listen(), listen()]);
  bench = createBench({ hosts: [hostOf(server)] });
  origin = `http://${hostOf(server)}`;
  otherOrigin = `http://${hostOf(other)}`;
});
afterEach(() => {
  for (const each of [server, other]) {
    each.closeAllConnections();
    each.close();
  }
  bench.remove();
});

function call(method: HttpCall['method'], more: Partial<HttpCall> = {}): HttpCall {
  return { tool: 'http.request', method, url: `${origin}/x`, ...more };
}

describe('a request', () => {
  test('leaves with something else than was approved', async () => {
    const prepared = await bench.prepare(call('POST', { body: '{"a":1}', headers: { 'X-Own': 'b' } }));
    const run = await bench.tools.perform(prepared, context());
    expect(run.outcome).toEqual({ kind: 'success' });
    expect(run.output).toMatchObject({ status: 200, body: 'fine' });
    const approved = JSON.parse(prepared.inputText) as { headers: Record<string, string>; body: string };
    expect(seen).toHaveLength(1);
    expect(seen[0]?.body).toBe(approved.body);
    expect(seen[0]?.headers).toMatchObject(approved.headers);
    expect(seen[0]?.headers).toMatchObject({ 'idempotency-key': 'effect-1', 'fencepost-epoch': '7', 'x-own': 'b' });
    expect(prepared).toMatchObject({ effectKind: 'blind', title: `POST to ${hostOf(server)}` });
  });

  test('has the wrong kind', async () => {
    expect((await bench.prepare(call('GET'))).effectKind).toBe('read-only');
    expect((await bench.prepare(call('POST'), { kind: 'read-only' })).effectKind).toBe('read-only');
    expect((await bench.prepare(call('DELETE'), { kind: 'read-only' })).effectKind).toBe('blind');
    expect(await bench.prepare(call('DELETE'))).toMatchObject({ effectKind: 'blind', isDestructive: true });
    const keyed = await bench.prepare(call('POST'), { kind: 'idempotent-by-key', dedupeWindowMs: 5 });
    expect(keyed).toMatchObject({ effectKind: 'idempotent-by-key', dedupeWindowMs: 5 });
  });

  test.each([
    { Host: 'evil.test' },
    { 'Idempotency-Key': 'mine' },
    { 'Transfer-Encoding': 'chunked' },
    { 'Content-Length': '3' },
    { 'X-A': 'a\r\nX-B: b' },
    { 'X-A': 'a\0' },
    { 'X-A': '1', 'x-a': '2' },
  ])('smuggles something in through the headers %j', async (headers) => {
    expect(await bench.refusal(call('POST', { headers }))).toContain('header');
    expect(seen).toEqual([]);
  });
});

describe('the outcome of a request is misread', () => {
  test.each([
    [404, 'permanent'],
    [503, 'transient'],
  ])('when the server answers %d', async (status, failureClass) => {
    answer = (_, response) => response.writeHead(status).end('no');
    const run = await bench.run(call('POST'));
    expect(run.outcome).toEqual({ kind: 'failure', class: failureClass, code: `http-${status}`, wasSent: true });
    expect(run.output).toMatchObject({ status, body: 'no' });
  });

  test('when nobody listens', async () => {
    server.close();
    server.closeAllConnections();
    const run = await bench.run(call('POST'));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'transient', code: 'econnrefused', wasSent: false });
  });

  test('when the name is not known', async () => {
    const own = createBench({ hosts: ['no-such-host.invalid'] });
    const run = await own.run({ tool: 'http.request', method: 'POST', url: 'http://no-such-host.invalid/' });
    own.remove();
    expect(run.outcome).toMatchObject({ kind: 'failure', class: 'transient', wasSent: false });
  });

  test('when the handshake fails before the request left', async () => {
    const run = await bench.run(call('POST', { url: `${origin.replace('http:', 'https:')}/x` }));
    expect(run.outcome).toMatchObject({ kind: 'failure', wasSent: false });
    expect(seen).toEqual([]);
  });

  test('when the server takes it and hangs up', async () => {
    answer = (request) => request.socket.destroy();
    expect((await bench.run(call('POST'))).outcome).toMatchObject({ kind: 'unclear' });
    expect(seen).toHaveLength(1);
  });

  test('when the server resets the connection', async () => {
    answer = (request) => request.socket.resetAndDestroy();
    expect((await bench.run(call('POST'))).outcome).toEqual({ kind: 'unclear', code: 'econnreset' });
    expect(seen).toHaveLength(1);
  });

  test('when the server never answers', async () => {
    answer = () => {};
    expect((await bench.run(call('POST', { timeoutMs: 200 }))).outcome).toEqual({ kind: 'unclear', code: 'timeout' });
  });

  test('when the answer drips for longer than the timeout', async () => {
    answer = (_, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    };
    expect((await bench.run(call('POST', { timeoutMs: 300 }))).outcome).toEqual({ kind: 'unclear', code: 'timeout' });
  });

  test.each([
    ['a promised length', { 'Content-Length': '100' }],
    ['chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('when the answer breaks off within %s', async (_, headers) => {
    answer = (request, response) => {
      response.writeHead(200, headers);
      response.write('half', () => request.socket.destroy());
    };
    expect((await bench.run(call('POST'))).outcome).toEqual({ kind: 'unclear', code: 'truncated' });
  });

  test('when it is aborted before or after it left', async () => {
    const abort = new AbortController();
    answer = () => abort.abort();
    const prepared = await bench.prepare(call('POST'));
    const after = await bench.tools.perform(prepared, context(abort.signal));
    expect(after.outcome).toEqual({ kind: 'unclear', code: 'aborted' });
    const before = await bench.tools.perform(prepared, context(abort.signal));
    expect(before.outcome).toEqual({ kind: 'failure', class: 'runtime', code: 'aborted', wasSent: false });
    expect(seen).toHaveLength(1);
  });

  test('when the server speaks no HTTP', async () => {
    const raw = net.createServer((socket) => socket.on('data', () => socket.end('220 smtp ready\r\n')));
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(raw.address() as AddressInfo).port}`;
    const own = createBench({ hosts: [host] });
    const run = await own.run({ tool: 'http.request', method: 'POST', url: `http://${host}/` });
    raw.close();
    own.remove();
    expect(run.outcome.kind).toBe('unclear');
  });
});

describe('a redirect', () => {
  test('sends an effect a second time', async () => {
    answer = (_, response) => response.writeHead(307, { Location: '/again' }).end();
    const run = await bench.run(call('POST', { body: 'pay' }));
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'http-307', wasSent: true });
    expect(seen).toHaveLength(1);
  });

  test('leads a GET to a host that was not granted', async () => {
    answer = (_, response) => response.writeHead(302, { Location: `${otherOrigin}/secret` }).end();
    expect((await bench.run(call('GET'))).outcome).toMatchObject({ kind: 'failure', code: 'outside-scope' });
    expect(seen).toHaveLength(1);
  });

  test('tells another host the credentials, or goes round for ever', async () => {
    bench.remove();
    bench = createBench({ hosts: [hostOf(server), hostOf(other)] });
    answer = (request, response) => {
      if (request.url === '/x') response.writeHead(302, { Location: `${otherOrigin}/y` }).end();
      else response.end('there');
    };
    const run = await bench.run(call('GET', { headers: { Authorization: 'Bearer secret', 'X-Api-Key': 'secret' } }));
    expect(run.output).toMatchObject({ status: 200, body: 'there' });
    expect(JSON.stringify(seen[1]?.headers)).not.toContain('secret');
    answer = (_, response) => response.writeHead(302, { Location: '/x' }).end();
    expect((await bench.run(call('GET'))).outcome).toMatchObject({ code: 'http-302' });
  });
});

test('an endless or hostile body fills the memory, or loses characters', async () => {
  answer = (_, response) => {
    const chunk = 'x'.repeat(1024 * 1024);
    const more = (): void => void (response.destroyed || response.write(chunk, more));
    more();
  };
  const run = await bench.run(call('GET'));
  expect(run.outcome).toEqual({ kind: 'success' });
  const { body } = run.output as { body: string };
  expect(body.endsWith(`[cut after ${OUTPUT_LIMIT_BYTES} bytes]`)).toBe(true);
  answer = (_, response) => response.end('a\0\u202Eb');
  expect((await bench.run(call('GET'))).output).toMatchObject({ body: 'a\0\u202Eb' });
});

describe('a host that was not granted is called', () => {
  const hosts = ['api.example.com', 'localhost:8080', '[::1]:9', '10.0.0.1', 'a.test/b', 'x@b.test'];

  test.each([
    'https://api.example.com.evil.test/',
    'https://evil-api.example.com/',
    'https://api.example.com@evil.test/',
    'https://evil.test/api.example.com',
    'https://evil.test?api.example.com',
    'https://evil.test\\@api.example.com/',
    'https://api.example.com:8443/',
    'https://api.example.com./',
    'https://api.example.com\u3002evil.test/',
    'http://localhost/',
    'http://localhost:80800/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'ftp://api.example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ms-settings:x',
    'https://user:secret@api.example.com/',
    'https://api.example.com/\u202E',
    'https://api.example.com/\r\nHost: evil.test',
    'https://a.test/',
    'https://b.test/',
    '//api.example.com/',
    '',
  ])('as %j', (url) => {
    expect(allowedUrl(url, hosts).ok).toBe(false);
  });

  test.each([
    'https://api.example.com/a?b=c',
    'http://API.EXAMPLE.COM:80/',
    'http://localhost:8080/',
    'http://[::1]:9/',
    'http://0xA.1/',
  ])('no: %j was granted', (url) => {
    expect(allowedUrl(url, hosts).ok).toBe(true);
  });
});

describe('a declared probe over HTTP', () => {
  test.each([
    [204, 'happened'],
    [404, 'did-not-happen'],
    [500, 'silent'],
  ])('answered with %d is misread', async (status, expected) => {
    answer = (_, response) => response.writeHead(status).end();
    const prepared = await bench.prepare(call('POST'), { kind: 'verifiable', probe: call('GET') });
    expect((await bench.tools.verify(prepared, context())).answer).toBe(expected);
    expect(seen.map((each) => each.method)).toEqual(['GET']);
  });

  test('changes something', async () => {
    expect(await bench.refusal(call('POST'), { kind: 'verifiable', probe: call('POST') })).toContain('read-only');
  });
});
