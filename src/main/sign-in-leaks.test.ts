import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Route } from '../shared/contract/api.ts';
import type { SignInRow } from '../shared/contract/sign-in-views.ts';
import { createEventLog } from './bridge/event-log.ts';
import { createRouter } from './bridge/router.ts';
import type { Router } from './bridge/router.ts';
import type { DesktopShell } from './bridge/desktop-shell.ts';
import { startApplication } from './compose.ts';
import type { RunningHost } from './compose.ts';
import type { SecretCipher } from './secrets/secret-cipher.ts';
import { readAll } from './store/connection.ts';
import { must, useTemporaryFolders } from './store/testing/temporary-folder.ts';
import { followPage, startSignInServer } from './tools/testing/sign-in-server.ts';
import type { SignInServer } from './tools/testing/sign-in-server.ts';
import { ok } from '../shared/lib/result.ts';

const CALLER = { surface: 'browser', name: 'page-1' } as const;
/** Seals as a keychain does: nothing of the value can be seen. */
const keychain: SecretCipher = {
  backend: 'a test',
  encrypt: (value) => Promise.resolve(Buffer.from(Buffer.from(value).map((byte) => byte ^ 0x5a))),
  decrypt: (sealed) =>
    Promise.resolve({ value: Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString(), isStale: false }),
};

const newFolder = useTemporaryFolders();
let server: SignInServer;
let profileFolder: string;
let host: RunningHost;
let router: Router;
/** Everything that came out of the doors. */
let answers: string[];
/** What the system's browser was told to open. */
let opened: string[];

async function start(desktop?: DesktopShell): Promise<void> {
  host = must(
    await startApplication({
      profileFolder,
      surface: desktop === undefined ? 'browser' : 'window',
      version: '0.0.0-test',
      electronVersion: null,
      secretSources: { openKeychain: () => Promise.resolve(keychain) },
      ...(desktop === undefined ? {} : { desktop }),
    }),
  );
  router = createRouter(host, { log: createEventLog(path.join(profileFolder, 'browser.log')) });
  host.onChange((notice) => void answers.push(JSON.stringify(notice)));
  const source = `fencepost: 1
id: teller
name: Teller
scope: { hosts: ['${new URL(server.origin).host}'], servers: { private: { url: '${server.address}' } } }
start: act
states:
  act: { type: tool, call: { tool: mcp.call, server: private, name: act, arguments: {} }, onSuccess: end, onFailure: over }
  end: { type: done }
  over: { type: fail }
`;
  await ask('agents.save', { fileName: 'strategy.yaml', source });
}

beforeEach(async () => {
  answers = [];
  opened = [];
  server = await startSignInServer();
  profileFolder = newFolder();
});
afterEach(async () => {
  await host.drain(1_000);
  await host.close();
  await server.close();
});

async function answerOf<R extends Route>(route: R, request: unknown = {}): Promise<Answer<R>> {
  const answer = await router.dispatch(route, request, CALLER);
  answers.push(JSON.stringify(answer));
  return answer as Answer<R>;
}

async function ask<Value>(route: Route, request: unknown = {}): Promise<Value> {
  const answer = await answerOf(route, request);
  if (!answer.ok) throw new Error(`${route}: ${answer.error.message}`);
  return answer.value as Value;
}

function rows<Row>(sql: string): readonly Row[] {
  const db = host.control.connection()?.db;
  return db === undefined ? [] : readAll<Row>(db, sql);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 2_000) throw new Error(`It did not come about: ${JSON.stringify(rows('SELECT * FROM runs'))}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function run(requestId: string): Promise<string> {
  const { runId } = await ask<{ runId: string }>('runs.start', { agentId: 'teller', requestId });
  await until(
    () => rows<{ ending: string | null }>(`SELECT ending FROM runs WHERE run_id = '${runId}'`)[0]?.ending !== null,
  );
  return JSON.stringify(await ask('runs.get', { runId }));
}

async function signInRow(): Promise<SignInRow | undefined> {
  return (await ask<{ servers: readonly SignInRow[] }>('signIns.list')).servers[0];
}

async function permit(): Promise<void> {
  const { previewDigest } = await ask<{ previewDigest: string }>('agents.preview', { agentId: 'teller' });
  await ask('agents.authorise', { agentId: 'teller', previewDigest });
}

const asks = async () =>
  (await ask<{ asks: readonly { sentence: string }[] }>('agents.get', { agentId: 'teller' })).asks;

function isTold(text: string): boolean {
  const forms = server.given.flatMap((token) => [
    token,
    Buffer.from(token).toString('base64').slice(0, 40),
    encodeURIComponent(token).slice(0, 30),
  ]);
  return forms.some((form) => text.includes(form));
}

describe('the tokens of a sign-in', { timeout: 60_000 }, () => {
  it('can be found in an event, a log, an export, an answer or a file, after they were used, told back, renewed and given up', async () => {
    await start();
    await permit();
    const before = await run('press-one');
    expect(before).toContain('asks for a sign-in. Sign in under Settings, Tools.');
    expect(await signInRow()).toMatchObject({
      address: server.address,
      standing: 'asks',
      agents: [{ name: 'Teller' }],
    });
    expect((await asks()).map(({ sentence }) => sentence)).toContainEqual(
      expect.stringContaining('asks for a sign-in: sign in under Settings, Tools'),
    );

    const { page } = await ask<{ page: string }>('signIns.begin', { address: server.address });
    expect((await signInRow())?.isWaiting).toBe(true);
    await followPage(page);
    await until(async () => (await signInRow())?.isWaiting === false);
    expect(await signInRow()).toMatchObject({ standing: 'signed-in' });
    expect(JSON.stringify(await asks())).not.toContain('sign in under');
    expect(await run('press-two')).toContain('[secret of the sign-in]');
    server.expireAll();
    await run('press-three');
    await run('press-four');
    expect(server.given.length).toBeGreaterThan(2);
    const acted = server.acts();
    await ask('signIns.end', { address: server.address });
    expect(await run('press-five')).toContain('Sign in under Settings, Tools.');
    expect(server.acts()).toBe(acted);

    const routes: readonly [Route, unknown?][] = [
      ['activity.list', { limit: 500 }],
      ['diagnostics.get'],
      ...rows<{ run_id: string }>('SELECT run_id FROM runs').map(({ run_id }): [Route, unknown] => [
        'runs.export',
        { runId: run_id },
      ]),
      ...rows<{ seq: number }>('SELECT seq FROM ops').map(({ seq }): [Route, unknown] => ['activity.get', { seq }]),
      ...rows<{ digest: string }>('SELECT digest FROM blobs').map(({ digest }): [Route, unknown] => [
        'text.get',
        { digest },
      ]),
      ...(['overview.get', 'runs.list', 'needs.list', 'refusals.list', 'secrets.list', 'settings.get'] as const).map(
        (route): [Route] => [route],
      ),
    ];
    for (const [route, request] of routes) await ask(route, request);
    expect(answers.filter((answer) => isTold(answer))).toEqual([]);
    const files = readdirSync(profileFolder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['sign-ins.json', 'fencepost.sqlite']));
    const telling = files.filter((entry) => isTold(readFileSync(path.join(entry.parentPath, entry.name), 'latin1')));
    expect(telling).toEqual([]);
  });

  it('are asked for at an address that no agent names, or the page asks for one', async () => {
    await start();
    const answer = await answerOf('signIns.begin', { address: `${server.origin}/other` });
    expect(answer).toMatchObject({ ok: false, error: { code: 'not-found' } });
    expect(server.seen).toEqual([]);
  });
});

describe('the page to sign in at', { timeout: 60_000 }, () => {
  const desktop = (isOpened: boolean): DesktopShell => ({
    facts: () => ({
      hasTray: true,
      canNotify: true,
      canStartAtLogin: true,
      startsAtLogin: false,
      isNotifyBlocked: false,
      leaving: null,
    }),
    openFolder: () => Promise.resolve(ok(null)),
    setStartsAtLogin: () => ok(null),
    openLink: (address) => {
      opened.push(address);
      const error = { code: 'not-offered' as const, message: 'No browser.', wayOut: '' };
      return Promise.resolve(isOpened ? ok(null) : { ok: false, error });
    },
  });

  it('is opened before somebody pressed, or given to the page of a desktop that opens it itself', async () => {
    await start(desktop(true));
    await permit();
    await run('press-one');
    expect(opened).toEqual([]);
    expect(await ask('signIns.begin', { address: server.address })).toMatchObject({
      host: new URL(server.origin).host,
      page: null,
    });
    expect(opened).toHaveLength(1);
    await followPage(opened[0] ?? '');
    await until(async () => (await signInRow())?.standing === 'signed-in');
  });

  it('is waited for although the system did not open it', async () => {
    await start(desktop(false));
    const answer = await answerOf('signIns.begin', { address: server.address });
    expect(answer).toMatchObject({ ok: false, error: { message: 'No browser.' } });
    await until(async () => (await signInRow())?.isWaiting === false);
    await expect(followPage(opened[0] ?? '')).rejects.toThrow('fetch failed');
    expect(server.given).toEqual([]);
  });
});
