import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApplication } from '../compose.ts';
import type { RunningHost } from '../compose.ts';
import { readAll } from '../store/connection.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { createWebhookDoor } from './webhook-server.ts';
import { WEBHOOK_BODY_BYTES } from './webhook-request.ts';

const SECRET = 'correct-horse-battery';
const STRATEGY = `fencepost: 1
id: caller
name: Caller
input: { text: { title: Text, default: none } }
triggers: { webhooks: [{ id: inbound, secret: hook-key, as: text }] }
start: end
states: { end: { type: done } }
`;

const newFolder = useTemporaryFolders();
let host: RunningHost;
/** What came with the environment: the store looks there first. */
const secrets = new Map<string, string>();

beforeEach(async () => {
  secrets.set('hook-key', SECRET);
  host = must(
    await startApplication({
      profileFolder: newFolder(),
      surface: 'browser',
      version: '0.0.0-test',
      electronVersion: null,
      secretSources: { fromEnvironment: secrets },
    }),
  );
});
afterEach(async () => {
  await host.drain(1_000);
  await host.close();
});

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries > 1_000) throw new Error('It did not come about.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function rows(sql: string): readonly unknown[] {
  const db = host.control.connection()?.db;
  return db === undefined ? [] : readAll(db, sql);
}

async function arm(): Promise<URL> {
  must(await host.control.saveAgent('strategy.yaml', STRATEGY));
  const { previewDigest } = must(host.control.previewGrant('caller' as never));
  must(await host.control.authorise('caller' as never, previewDigest, 'Test'));
  host.resume();
  await until(() => host.control.webhookDoor().origin !== null);
  return new URL('/hooks/caller/inbound', host.control.webhookDoor().origin ?? '');
}

interface Answer {
  readonly status: number;
  readonly body: { readonly runId?: string; readonly message?: string };
  readonly headers: NodeJS.Dict<string | string[]>;
}

function call(
  url: URL,
  of: { method?: string; body?: string; headers?: Record<string, string>; path?: string } = {},
): Promise<Answer> {
  const { method = 'POST', body = '{"a":1}', headers = {}, path = url.pathname } = of;
  const { hostname, port } = url;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        hostname,
        port,
        path,
        method,
        headers: { authorization: `Bearer ${SECRET}`, 'content-length': Buffer.byteLength(body), ...headers },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text === '' ? '{}' : text) as Answer['body'],
            headers: response.headers,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('a call to a webhook', { timeout: 60_000 }, () => {
  it('is answered before its run is durable, or starts a second one when it is repeated', async () => {
    const url = await arm();
    const first = await call(url);
    expect(first.status).toBe(202);
    expect(rows(`SELECT run_id FROM runs`)).toEqual([{ run_id: first.body.runId }]);
    expect(rows(`SELECT json_extract(input, '$.text') AS text FROM runs`)).toEqual([{ text: '{"a":1}' }]);
    expect(await call(url)).toMatchObject({ status: 200, body: first.body });
    const other = await call(url, { body: '{"a":2}' });
    expect(other.status).toBe(202);
    const keyed = { 'idempotency-key': 'key-1' };
    const third = await call(url, { headers: keyed });
    expect(third.status).toBe(202);
    expect(await call(url, { headers: keyed })).toMatchObject({ status: 200, body: third.body });
    expect((await call(url, { headers: keyed, body: '{"a":3}' })).status).toBe(409);
    const racing = await Promise.all(Array.from({ length: 8 }, () => call(url, { body: 'race' })));
    expect(racing.filter((each) => each.status === 202)).toHaveLength(1);
    expect(new Set(racing.map((each) => each.body.runId)).size).toBe(1);
    expect(rows('SELECT 1 FROM runs')).toHaveLength(4);
  });

  it('is let in without the secret, from another page, or to another address', async () => {
    const url = await arm();
    const refused: readonly [number, Parameters<typeof call>[1]][] = [
      [401, { headers: { authorization: '' } }],
      [401, { headers: { authorization: 'Bearer wrong' } }],
      [401, { headers: { authorization: SECRET } }],
      [401, { path: '/hooks/caller/other' }],
      [401, { path: '/hooks/other/inbound' }],
      [401, { path: '/hooks/%/inbound' }],
      [401, { path: '/hooks/caller/inbound/more' }],
      [401, { path: '/' }],
      [403, { headers: { host: 'localhost' } }],
      [403, { headers: { host: `evil.example:${url.port}` } }],
      [403, { headers: { origin: 'https://evil.example' } }],
      [405, { method: 'GET' }],
      [405, { method: 'OPTIONS' }],
      [400, { headers: { 'idempotency-key': 'x'.repeat(200) } }],
      [413, { body: 'x'.repeat(WEBHOOK_BODY_BYTES + 1) }],
    ];
    for (const [status, of] of refused) {
      const answer = await call(url, of).catch((cause: NodeJS.ErrnoException) => cause.code);
      // A body that is too large may be cut off while it is still being sent.
      if (status === 413 && typeof answer === 'string') continue;
      expect(answer, JSON.stringify(of).slice(0, 100)).toMatchObject({ status });
      if (typeof answer === 'object') expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(rows('SELECT 1 FROM runs')).toEqual([]);
    expect(rows('SELECT 1 FROM missed_slots')).toEqual([]);
    expect((await call(url, { body: 'x'.repeat(WEBHOOK_BODY_BYTES) })).status).toBe(202);
  });

  it('is let in with an empty secret where this device has none', async () => {
    const url = await arm();
    secrets.delete('hook-key');
    for (const authorization of ['Bearer ', 'Bearer', 'Bearer null', 'Bearer undefined'])
      expect((await call(url, { headers: { authorization } })).status).toBe(401);
  });

  it('runs without a permission, finds the door open, or leaves the secret in the record', async () => {
    const url = await arm();
    must(await host.control.saveAgent('strategy.yaml', STRATEGY.replace('Caller', 'Changed')));
    const answer = await call(url).catch(() => null);
    expect([403, null]).toContain(answer?.status ?? null);
    await until(() => host.control.webhookDoor().origin === null);
    await expect(call(url)).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/u);
    expect(rows('SELECT 1 FROM runs')).toEqual([]);
    if (answer !== null) expect(rows(`SELECT reason FROM missed_slots`)).toEqual([{ reason: 'no-permission' }]);
    expect(JSON.stringify(rows('SELECT payload FROM ops'))).not.toContain(SECRET);
  });

  it('comes so often that the host has time for nothing else', async () => {
    const log = { write: () => undefined };
    const known = { read: () => Promise.resolve(SECRET) };
    // So few that the slowest machine calls more often.
    const door = createWebhookDoor({ port: () => 0, secrets: known, log, rate: { burst: 10, perSecond: 0.01 } });
    await door.keep(true, () => null);
    try {
      const wrong = { headers: { authorization: 'Bearer wrong' } };
      const calls = Array.from({ length: 30 }, () => call(new URL('/hooks/none', door.origin() ?? undefined), wrong));
      const statuses = (await Promise.all(calls)).map((answer) => answer.status);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    } finally {
      await door.keep(false, () => null);
    }
  });
});
