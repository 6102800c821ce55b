import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Route } from '../shared/contract/api.ts';
import { createEventLog } from './bridge/event-log.ts';
import { createRouter } from './bridge/router.ts';
import type { Router } from './bridge/router.ts';
import { startApplication } from './compose.ts';
import type { RunningHost } from './compose.ts';
import type { SecretCipher } from './secrets/secret-cipher.ts';
import { readAll } from './store/connection.ts';
import { must, useTemporaryFolders } from './store/testing/temporary-folder.ts';

const VALUE = 'correct-horse-battery-staple';
const CALLER = { surface: 'browser', name: 'page-1' } as const;
/** Seals as a keychain does: nothing of the value can be seen. */
const keychain: SecretCipher = {
  backend: 'a test',
  encrypt: (value) => Promise.resolve(Buffer.from(Buffer.from(value).map((byte) => byte ^ 0x5a))),
  decrypt: (sealed) =>
    Promise.resolve({ value: Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString(), isStale: false }),
};

function strategy(of: { readonly origin: string; readonly folder: string }): string {
  const call = (name: string) =>
    `call: { tool: http.request, method: POST, url: '${of.origin}/${name}', body: '{}', secretHeaders: { Authorization: { secret: api-key, prefix: 'Bearer ' } } }`;
  return `fencepost: 1
id: teller
name: Teller
scope: { hosts: ['${new URL(of.origin).host}'], folders: ['${of.folder}'], programs: [node] }
start: echo
states:
  echo: { type: tool, ${call('echo')}, effect: { kind: blind }, onSuccess: print }
  print:
    type: tool
    call: { tool: shell, argv: [node, -e, 'console.log(process.env.TOKEN); console.error(btoa(process.env.TOKEN))'], cwd: '${of.folder}', secretEnv: { TOKEN: api-key } }
    effect: { kind: blind }
    onSuccess: refused
  refused: { type: tool, ${call('refuse')}, effect: { kind: blind }, onSuccess: cut, onFailure: cut }
  cut: { type: tool, ${call('cut')}, effect: { kind: blind }, onSuccess: end, onFailure: end }
  end: { type: done }
`;
}

const newFolder = useTemporaryFolders();
let outside: Server;
let received: string[];
let profileFolder: string;
let host: RunningHost;
let router: Router;
/** Everything that came out of the doors. */
let answers: string[];

beforeEach(async () => {
  received = [];
  answers = [];
  outside = createServer((request, response) => {
    const given = request.headers.authorization ?? '';
    received.push(given);
    if (request.url === '/cut') return void request.socket.destroy();
    // It repeats what it was given, in forms that servers repeat things in.
    const body = JSON.stringify({ given, quoted: JSON.stringify({ given }), encoded: encodeURIComponent(given) });
    response.writeHead(request.url === '/refuse' ? 500 : 200, { 'content-type': 'application/json', 'x-given': given });
    return void response.end(body);
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  profileFolder = newFolder();
  host = must(
    await startApplication({
      profileFolder,
      surface: 'browser',
      version: '0.0.0-test',
      electronVersion: null,
      secretSources: { openKeychain: () => Promise.resolve(keychain) },
    }),
  );
  router = createRouter(host, { log: createEventLog(path.join(profileFolder, 'browser.log')) });
  host.onChange((notice) => void answers.push(JSON.stringify(notice)));
});
afterEach(async () => {
  await host.drain(1_000);
  await host.close();
  outside.closeAllConnections();
  await new Promise((resolve) => outside.close(resolve));
});

async function ask<Value>(route: Route, request: unknown = {}): Promise<Value> {
  const answer = await router.dispatch(route, request, CALLER);
  answers.push(JSON.stringify(answer));
  if (!answer.ok) throw new Error(`${route}: ${answer.error.message}`);
  return answer.value as Value;
}

function rows<Row>(sql: string): readonly Row[] {
  const db = host.control.connection()?.db;
  return db === undefined ? [] : readAll<Row>(db, sql);
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries > 2_000) throw new Error(`It did not come about: ${JSON.stringify(rows('SELECT * FROM runs'))}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function isTold(text: string): boolean {
  const base64 = Buffer.from(VALUE).toString('base64').replaceAll('=', '');
  return [VALUE, base64, encodeURIComponent(VALUE), VALUE.slice(0, 12)].some((form) => text.includes(form));
}

/** Names of the files of a folder in which the value can be found. */
function filesThatTell(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => isTold(readFileSync(file, 'latin1')));
}

describe('the value of a secret', { timeout: 60_000 }, () => {
  it('can be found in an event, a log, an export, an answer or a file, after it was entered, used and told back', async () => {
    const folder = newFolder();
    const { port } = outside.address() as AddressInfo;
    await ask('secrets.set', { name: 'api-key', value: `${VALUE}\n` });
    const source = strategy({ origin: `http://127.0.0.1:${port}`, folder });
    await ask('agents.save', { fileName: 'strategy.yaml', source });
    const { previewDigest } = await ask<{ previewDigest: string }>('agents.preview', { agentId: 'teller' });
    await ask('agents.authorise', { agentId: 'teller', previewDigest });
    const { runId } = await ask<{ runId: string }>('runs.start', { agentId: 'teller', requestId: 'press-one' });
    // The cut connection leaves the last step unclear: that question is one more place to tell something.
    await until(() => rows(`SELECT 1 FROM runs WHERE phase = 'needs-recovery'`).length === 1);
    expect(received).toEqual(Array.from({ length: 3 }, () => `Bearer ${VALUE}`));

    const [unclear] = rows<{ attempt_token: string }>(
      'SELECT attempt_token FROM attempts WHERE in_doubt_at_ms IS NOT NULL',
    );
    const routes: readonly [Route, unknown?][] = [
      ['secrets.list'],
      ['runs.get', { runId }],
      ['runs.export', { runId }],
      ['activity.list', { limit: 500 }],
      ['diagnostics.get'],
      ...rows<{ seq: number }>('SELECT seq FROM ops').map(({ seq }): [Route, unknown] => ['activity.get', { seq }]),
      ['recovery.get', { attemptToken: unclear?.attempt_token }],
      ['agents.get', { agentId: 'teller' }],
      ...rows<{ digest: string }>('SELECT digest FROM blobs').map(({ digest }): [Route, unknown] => [
        'text.get',
        { digest },
      ]),
      ...(['overview.get', 'runs.list', 'needs.list', 'refusals.list', 'agents.list', 'settings.get'] as const).map(
        (route): [Route] => [route],
      ),
    ];
    for (const [route, request] of routes) await ask(route, request);
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter((answer) => isTold(answer))).toEqual([]);
    // It was told back, and something stands in its place: the search above does not find nothing for want of a place.
    expect(answers.join('\n').split('[secret api-key]').length).toBeGreaterThan(6);
    expect(JSON.stringify(rows('SELECT * FROM ops'))).toContain('settle.recorded');
    expect(filesThatTell(profileFolder)).toEqual([]);
    expect(filesThatTell(folder)).toEqual([]);
    expect(readdirSync(profileFolder)).toEqual(expect.arrayContaining(['secrets.json', 'fencepost.sqlite']));
  });
});
