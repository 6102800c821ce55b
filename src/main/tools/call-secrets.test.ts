import { mkdirSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolCall } from '../../shared/contract/tool-calls.ts';
import { NO_SECRETS } from '../secrets/no-secrets.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { createCallSecrets } from './call-secrets.ts';
import { context, createBench } from './testing/tool-bench.ts';
import type { ToolBench } from './testing/tool-bench.ts';
import type { ToolRun } from './tool.ts';

type HttpCall = Extract<ToolCall, { tool: 'http.request' }>;

const node = process.execPath;
const TOKEN = 'tok-"5/ecret+ü';
const KEY = 'sk-0123456789abcdef';
let reads: string[];
const secrets: SecretStore = {
  ...NO_SECRETS,
  read: (name) => {
    reads.push(name);
    if (name === 'broken') return Promise.reject(new Error(`locked ${KEY}`));
    return Promise.resolve(
      new Map([
        ['token', TOKEN],
        ['key', KEY],
        ['lines', 'a\r\nb: c'],
      ]).get(name) ?? null,
    );
  },
};

let server: http.Server;
let other: http.Server;
let seen: http.IncomingMessage[];
let bench: ToolBench;
let answer: http.RequestListener;
const hostOf = (of: http.Server) => `127.0.0.1:${(of.address() as AddressInfo).port}`;

async function listen(): Promise<http.Server> {
  const started = http.createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return started;
}

beforeEach(async () => {
  reads = [];
  seen = [];
  answer = (request, response) => {
    const key = String(request.headers['x-key']);
    response.setHeader('x-echo', Buffer.from(key).toString('base64'));
    response.setHeader(`x-${key}`, '1');
    response.end(JSON.stringify({ headers: request.headers, inside: Buffer.from(`me:${key}`).toString('base64') }));
  };
  [server, other] = await Promise.all([listen(), listen()]);
  const hosts = [hostOf(server), hostOf(other), 'example.com:80', 'localhost:1'];
  bench = createBench({ programs: [node, 'sh'], hosts }, secrets);
  mkdirSync(bench.folder);
});
afterEach(() => {
  for (const each of [server, other]) {
    each.closeAllConnections();
    each.close();
  }
  bench.remove();
});

function call(more: Partial<HttpCall> = {}): HttpCall {
  return {
    tool: 'http.request',
    method: 'GET',
    url: `http://${hostOf(server)}/x`,
    secretHeaders: { 'X-Key': { secret: 'key', prefix: '' }, Authorization: { secret: 'key', prefix: 'Bearer ' } },
    ...more,
  };
}

function program(source: string, secretEnv: Readonly<Record<string, string>>): ToolCall {
  return { tool: 'shell', argv: [node, '-e', source], secretEnv: { ...secretEnv } };
}

/** Everything of a call that is recorded or shown. */
async function recorded(of: ToolCall): Promise<{ text: string; run: ToolRun }> {
  const prepared = await bench.prepare(of);
  expect(reads).toEqual([]);
  const run = await bench.tools.perform(prepared, context());
  return { text: JSON.stringify([prepared, run]), run };
}

describe('the value of a secret is recorded', () => {
  test('when a program prints its environment, in any way', async () => {
    const source = `const v=process.env.API_TOKEN;
      console.log(JSON.stringify(process.env), v, encodeURIComponent(v), Buffer.from(v).toString("base64"));
      console.error(Buffer.from("user:"+v).toString("base64url"), JSON.stringify(JSON.stringify([v])))`;
    const { text, run } = await recorded(program(source, { API_TOKEN: 'token' }));
    expect(run.outcome).toEqual({ kind: 'success' });
    expect(text).toContain('\\"API_TOKEN\\":\\"[secret token]\\"');
    expect(text).not.toMatch(/ecret\+|ecret%2B|5\/ecre|5%2F|NS9lY3JldC|ZWNyZXQ|L2VjcmV0/u);
    expect(reads).toEqual(['token']);
  });

  test('when a server repeats the request', async () => {
    const { text, run } = await recorded(call());
    expect(run.outcome).toEqual({ kind: 'success' });
    expect(seen[0]?.headers).toMatchObject({ 'x-key': KEY, authorization: `Bearer ${KEY}` });
    expect(text).toContain('Bearer [secret key]');
    expect(text).not.toMatch(/0123456789|MDEyMzQ1Njc4|AxMjM0NTY3OD|wMTIzNDU2Nzg/u);
  });

  test('in what a person is shown: names yes, values no', async () => {
    const prepared = await bench.prepare(call());
    expect(JSON.parse(prepared.inputText)).toMatchObject({
      secretHeaders: { 'x-key': { secret: 'key' }, authorization: { secret: 'key', prefix: 'Bearer ' } },
    });
    const shell = await bench.prepare({ ...program('1', { API_TOKEN: 'token' }), env: { MODE: 'a b' } } as ToolCall);
    expect(JSON.parse(shell.inputText)).toMatchObject({ env: { MODE: 'a b' }, secretEnv: { API_TOKEN: 'token' } });
    expect(reads).toEqual([]);
  });

  test('in the message of an adapter that broke, or in what it tells on the way', () => {
    const used = createCallSecrets(secrets, new AbortController().signal);
    used.reader.hide('key', KEY);
    expect(used.redactError(new Error(`at ${KEY}`)).message).toBe('at [secret key]');
    expect(used.redactAnswer({ answer: 'silent', summary: KEY }).summary).toBe('[secret key]');
    const outcome = { kind: 'unclear' as const, code: `e-${KEY}` };
    expect(used.redactRun({ outcome, output: null, summary: '' }).outcome).toMatchObject({ code: 'e-[secret key]' });
    const told: string[] = [];
    used.contextFor({ ...context(), onProgress: (text) => told.push(text) }).onProgress?.(`so far: ${KEY}`);
    expect(told).toEqual(['so far: [secret key]']);
  });

  test('when the check of a step repeats it', async () => {
    const prepared = await bench.prepare(call({ method: 'POST' }), { kind: 'verifiable', probe: call() });
    const found = await bench.tools.verify(prepared, context());
    expect(found.answer).toBe('happened');
    expect(JSON.stringify(found)).not.toContain(KEY);
  });
});

describe('a call without its secret', () => {
  const calls = {
    'http.request': () => call({ secretHeaders: { 'X-Key': { secret: 'gone', prefix: '' } } }),
    shell: () => program('require("fs").writeFileSync("ran","1")', { A: 'gone' }),
    script: (): ToolCall => ({ tool: 'script', interpreter: node, source: '1', args: [], secretEnv: { A: 'gone' } }),
  };
  test.each(['http.request', 'shell', 'script'] as const)('goes out all the same, as %s', async (tool) => {
    const run = await bench.run(calls[tool]());
    expect(run.outcome).toEqual({ kind: 'failure', class: 'authority', code: 'secret-missing', wasSent: false });
    expect(run.summary).toBe('There is no secret named gone on this device. Nothing was sent.');
    expect(seen).toEqual([]);
  });

  test('goes out when the keychain is locked, or tells what the keychain said', async () => {
    const run = await bench.run(call({ secretHeaders: { 'X-Key': { secret: 'broken', prefix: '' } } }));
    expect(run.outcome).toMatchObject({ class: 'authority', code: 'secret-unreadable', wasSent: false });
    expect(JSON.stringify(run)).not.toContain(KEY);
    expect(seen).toEqual([]);
  });

  test('waits for ever for a keychain that does not answer', async () => {
    const abort = new AbortController();
    const silent: SecretStore = { ...NO_SECRETS, read: () => new Promise(() => {}) };
    const reading = createCallSecrets(silent, abort.signal).reader.read('key');
    abort.abort();
    expect(await reading).toMatchObject({ ok: false, error: { outcome: { code: 'aborted', wasSent: false } } });
  });
});

describe('a secret leaves', () => {
  test('for another server than it was meant for, even in a harmless header', async () => {
    answer = (request, response) => {
      if (request.url === '/x') response.writeHead(302, { Location: `http://${hostOf(other)}/y` }).end();
      else response.end('there');
    };
    const secretHeaders = { Accept: { secret: 'key', prefix: '' }, 'X-Key': { secret: 'key', prefix: '' } };
    expect((await bench.run(call({ secretHeaders }))).output).toMatchObject({ body: 'there' });
    expect(seen[0]?.headers['x-key']).toBe(KEY);
    expect(JSON.stringify(seen[1]?.headers)).not.toContain(KEY);
  });

  test('over a network in the clear', async () => {
    expect(await bench.refusal(call({ url: 'http://example.com/' }))).toContain('https');
    expect((await bench.prepare(call({ url: 'http://localhost:1/' }))).tool).toBe('http.request');
    expect((await bench.prepare(call({ url: 'http://example.com/', secretHeaders: {} }))).tool).toBe('http.request');
  });

  test.each([
    [{ Host: { secret: 'key', prefix: '' } }, {}],
    [{ 'Idempotency-Key': { secret: 'key', prefix: '' } }, {}],
    [{ 'X-A': { secret: 'key', prefix: '' } }, { 'x-a': '1' }],
    [{ 'X-A': { secret: 'key', prefix: '' }, 'x-a': { secret: 'key', prefix: '' } }, {}],
    [{ 'X-A': { secret: 'key', prefix: 'a\r\nX-B: ' } }, {}],
  ])('through a header that it may not set: %j beside %j', async (secretHeaders, headers) => {
    expect(await bench.refusal(call({ secretHeaders, headers }))).toContain('header');
  });

  test('as two headers, because its value holds a line break', async () => {
    const run = await bench.run(call({ secretHeaders: { 'X-Key': { secret: 'lines', prefix: '' } } }));
    expect(run.outcome).toMatchObject({ class: 'authority', code: 'secret-unusable', wasSent: false });
    expect(seen).toEqual([]);
  });

  test('for a program that did not ask for it', async () => {
    process.env['FENCEPOST_SECRET_OTHER'] = KEY;
    try {
      const run = await bench.run(program('console.log(JSON.stringify(process.env))', { API_TOKEN: 'token' }));
      expect(JSON.stringify(run)).not.toContain(KEY);
      expect(reads).toEqual(['token']);
    } finally {
      delete process.env['FENCEPOST_SECRET_OTHER'];
    }
  });
});
