import { spawn } from 'node:child_process';
import http from 'node:http';
import { createRequire } from 'node:module';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_SECRETS } from '../../secrets/no-secrets.ts';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import { context, createBench } from '../testing/tool-bench.ts';
import type { ToolBench } from '../testing/tool-bench.ts';
import type { ToolRun } from '../tool.ts';
import type { McpCall } from './mcp-tool.ts';

const require = createRequire(import.meta.url);
// One of the servers is a program of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Rpc {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly protocolVersion?: string };
}
type Answer = (response: http.ServerResponse, rpc: Rpc, request: http.IncomingMessage) => void;

let bench: ToolBench;
let server: http.Server;
let scope: StrategyScope;
let seen: string[];
let headers: http.IncomingHttpHeaders[];
/** What the server does with one method, instead of what it should. */
let odd: Record<string, Answer>;

function answer(response: http.ServerResponse, rpc: Rpc, result: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result }));
}

const proper: Record<string, Answer> = {
  initialize(response, rpc) {
    response.setHeader('mcp-session-id', `session-${seen.length}`);
    const { protocolVersion } = rpc.params;
    answer(response, rpc, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } });
  },
  'notifications/initialized': (response) => response.writeHead(202).end(),
  'notifications/cancelled': (response) => response.writeHead(202).end(),
  'tools/list': (response, rpc) => answer(response, rpc, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] }),
  'tools/call': (response, rpc) => answer(response, rpc, { content: [{ type: 'text', text: 'done' }] }),
};

function handle(request: http.IncomingMessage, response: http.ServerResponse): void {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    // No stream of its own messages, and nothing to say about the end of a session.
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'GET' ? 405 : 200).end();
      return;
    }
    const rpc = JSON.parse(body) as Rpc;
    seen.push(rpc.method);
    headers.push(request.headers);
    (odd[rpc.method] ?? proper[rpc.method])?.(response, rpc, request);
  });
}

async function listen(handler: http.RequestListener): Promise<http.Server> {
  const started = http.createServer(handler);
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return started;
}

function hostOf(of: http.Server): string {
  return `127.0.0.1:${(of.address() as AddressInfo).port}`;
}

function stop(of: http.Server): void {
  of.closeAllConnections();
  of.close();
}

beforeEach(async () => {
  seen = [];
  headers = [];
  odd = {};
  server = await listen(handle);
  const secrets = { ...NO_SECRETS, read: async () => Promise.resolve('open-sesame') };
  bench = createBench({ hosts: [hostOf(server)] }, secrets);
  const secretHeaders = { Authorization: { secret: 'web-key', prefix: 'Bearer ' } };
  const web = { url: `http://${hostOf(server)}/mcp`, headers: { 'X-Own': 'b' }, secretHeaders, effects: {} };
  scope = { ...bench.scope, servers: { web } };
});
afterEach(async () => {
  await bench.tools.close();
  stop(server);
  bench.remove();
});

const act: McpCall = { tool: 'mcp.call', server: 'web', name: 'act', arguments: {} };

async function run(call: McpCall = act): Promise<ToolRun> {
  const prepared = await bench.tools.prepare(call, undefined, scope);
  if (!prepared.ok) throw new Error(prepared.error.message);
  return await bench.tools.perform(prepared.value, context());
}

async function refusal(within: StrategyScope = scope): Promise<string> {
  const prepared = await bench.tools.prepare(act, undefined, within);
  return prepared.ok ? 'It was allowed.' : prepared.error.message;
}

const calls = () => seen.filter((method) => method === 'tools/call').length;

test('a call leaves without its headers, or a secret among them is told', async () => {
  odd['tools/call'] = (response, rpc, { headers: given }) =>
    answer(response, rpc, { content: [{ type: 'text', text: JSON.stringify(given) }] });
  const prepared = await bench.tools.prepare(act, undefined, scope);
  if (!prepared.ok) throw new Error(prepared.error.message);
  const done = await bench.tools.perform(prepared.value, context());
  expect(done.outcome).toEqual({ kind: 'success' });
  expect(headers.at(-1)).toMatchObject({ authorization: 'Bearer open-sesame', 'x-own': 'b', connection: 'close' });
  expect(JSON.stringify([prepared.value, done])).not.toContain('open-sesame');
  expect(JSON.stringify(done.output)).toContain('[secret web-key]');
  expect(prepared.value.target).toBe(`act on http://${hostOf(server)}/mcp`);
});

describe('a call whose answer is lost counts as failed, or is sent again', () => {
  const drop: Answer = (response) => response.destroy();
  const stream = (response: http.ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
  const half: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"jsonrpc"', () => response.destroy());
  };
  const noise: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => void response.write('x'.repeat(1 << 20), more);
    more();
  };
  const answers: [string, string, Answer][] = [
    ['by a connection that is cut', 'broken', drop],
    ['by half an answer', 'truncated', half],
    ['by a stream that ends', 'truncated', (response) => void stream(response).end(': nothing\n\n')],
    [
      'by a stream that breaks',
      'truncated',
      (response) => void stream(response).write(': a\n\n', () => response.destroy()),
    ],
    ['by an answer without an end', 'answer-too-large', noise],
    ['by a gateway', 'http-502', (response) => response.writeHead(502).end()],
    [
      'by an answer of another kind',
      'garbage',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('a'),
    ],
    ['by no answer', 'timeout', () => undefined],
  ];
  test.each(answers)('%s', async (_, code, how) => {
    odd['tools/call'] = how;
    expect((await run({ ...act, timeoutMs: code === 'timeout' ? 300 : 30_000 })).outcome).toEqual({
      kind: 'unclear',
      code,
    });
    expect(calls()).toBe(1);
  });

  test('by a stream that says it can go on, on a server that is gone', async () => {
    odd['tools/call'] = (response) => {
      stream(response).write('id: 1\ndata:\n\n', () => stop(server));
    };
    expect((await run()).outcome).toEqual({ kind: 'unclear', code: 'truncated' });
    expect(calls()).toBe(1);
  });
});

describe('a server that refuses is said to have acted, or the other way round', () => {
  test.each([
    [401, { class: 'authority', code: 'sign-in-needed', wasSent: false }],
    [403, { class: 'authority', code: 'http-403', wasSent: true }],
    [400, { class: 'permanent', code: 'http-400', wasSent: true }],
    [500, { class: 'transient', code: 'http-500', wasSent: true }],
    [404, { class: 'transient', code: 'session-ended', wasSent: false }],
  ])('with status %d', async (status, failure) => {
    odd['tools/call'] = (response) => response.writeHead(status).end();
    expect((await run()).outcome).toEqual({ kind: 'failure', ...failure });
    expect(calls()).toBe(1);
    odd = {};
    expect((await run()).outcome).toEqual({ kind: 'success' });
    expect(seen.filter((method) => method === 'initialize')).toHaveLength(status === 404 ? 2 : 1);
  });

  test('because it is away', async () => {
    const prepared = await bench.tools.prepare(act, undefined, scope);
    if (!prepared.ok) throw new Error(prepared.error.message);
    stop(server);
    const gone = await bench.tools.perform(prepared.value, context());
    expect(gone.outcome).toEqual({ kind: 'failure', class: 'transient', code: 'econnrefused', wasSent: false });
    expect(gone.summary).toContain('Nothing was sent');
  });
});

describe('a server leads out of the scope', () => {
  test('by an address that was not granted', async () => {
    expect(await refusal({ ...scope, hosts: [] })).toContain('may not call');
    const servers = { web: { url: 'file:///etc/passwd', effects: {} } };
    expect(await refusal({ ...scope, servers })).toContain('neither http nor https');
  });

  test('by a header that belongs to the protocol', async () => {
    const url = `http://${hostOf(server)}/mcp`;
    for (const name of ['Mcp-Session-Id', 'Host', 'Proxy-Authorization']) {
      const servers = { web: { url, headers: { [name]: 'a' }, effects: {} } };
      expect(await refusal({ ...scope, servers })).toContain('set by Fencepost');
    }
  });

  test.each([307, 302])('by a redirect with status %d', async (status) => {
    const stolen: string[] = [];
    const other = await listen((request, response) => {
      stolen.push(request.url ?? '');
      response.end();
    });
    odd['initialize'] = (response) => response.writeHead(status, { location: `http://${hostOf(other)}/mcp` }).end();
    expect(await refusal()).toContain('not followed. Nothing was sent.');
    odd = { 'tools/call': odd['initialize'] };
    expect((await run()).outcome).toEqual({ kind: 'failure', class: 'permanent', code: 'redirected', wasSent: true });
    expect(stolen).toEqual([]);
    stop(other);
  });
});

test('a server that asks for a sign-in says so in riddles', async () => {
  odd['initialize'] = (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  expect(await refusal()).toContain('asks for a sign-in');
});

test('a real server over HTTP is not understood, or its end goes unnoticed', async () => {
  const port = await freePort();
  const index = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const child = spawn(process.execPath, [index, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    await new Promise((resolve) => child.stderr.on('data', resolve));
    const url = `http://127.0.0.1:${port}/mcp`;
    scope = { ...scope, hosts: [`127.0.0.1:${port}`], servers: { web: { url, effects: {} } } };
    const sum = await run({ ...act, name: 'get-sum', arguments: { a: 2, b: 40 } });
    expect(sum.output).toMatchObject({ content: [{ text: expect.stringContaining('42') as string }] });
    const words: string[] = [];
    const slow = { ...act, name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 300 } };
    const prepared = await bench.tools.prepare(slow, undefined, scope);
    if (!prepared.ok) throw new Error(prepared.error.message);
    const onProgress = (text: string) => void (words.push(text) === 1 && child.kill('SIGKILL'));
    const cut = await bench.tools.perform(prepared.value, { ...context(), onProgress });
    expect(cut.outcome).toEqual({ kind: 'unclear', code: 'truncated' });
    expect(words[0]).toMatch(/^\d+ of 300$/u);
  } finally {
    child.kill('SIGKILL');
  }
});

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
