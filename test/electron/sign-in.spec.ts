import { expect, test } from '@playwright/test';
import type { Answer, Bridge, RequestOf, Route } from '../../src/shared/contract/api.ts';
import { followPage, startSignInServer } from '../../src/main/tools/testing/sign-in-server.ts';
import type { SignInServer } from '../../src/main/tools/testing/sign-in-server.ts';
import { launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';

let launched: LaunchedApp;
let server: SignInServer;

test.beforeAll(async () => {
  server = await startSignInServer();
  launched = await launchApp();
  await launched.window.waitForURL('app://fencepost/**');
  await launched.app.evaluate(({ shell }) => {
    const calls: string[] = [];
    Object.assign(shell, { openExternal: async (url: string) => void calls.push(url), calls });
  });
  const host = new URL(server.origin).host;
  const source = `fencepost: 1
id: teller
name: Teller
scope: { hosts: ['${host}'], servers: { private: { url: '${server.address}' } } }
start: act
states:
  act: { type: tool, call: { tool: mcp.call, server: private, name: act, arguments: {} }, onSuccess: end }
  end: { type: done }
`;
  expect(await call('agents.save', { fileName: 'teller.yaml', source })).toMatchObject({ ok: true });
});
test.afterAll(async () => {
  await launched.close();
  await server.close();
});

async function call<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>> {
  return await launched.window.evaluate(
    async ([asked, what]) =>
      await (window as unknown as { fencepost: Bridge }).fencepost.call(asked as R, what as RequestOf<R>),
    [route, request] as const,
  );
}

function opened(): Promise<readonly string[]> {
  return launched.app.evaluate(({ shell }) => (shell as unknown as { calls: string[] }).calls);
}

test('15: a server opens what is no page, or a page that nobody asked for', async () => {
  for (const endpoint of ['file:///etc/passwd', 'ms-settings:privacy', 'https://a.test/$(calc)', 'http://a.test/']) {
    server.traits.metadata = { authorization_endpoint: endpoint };
    expect(await call('signIns.begin', { address: server.address }), endpoint).toMatchObject({ ok: false });
  }
  server.traits.metadata = {};
  await call('signIns.list', {});
  expect(await opened()).toEqual([]);
});

test('15: the one page is opened more than once, is shown to the window, or its answer is lost', async () => {
  expect(await call('signIns.begin', { address: server.address })).toMatchObject({ ok: true, value: { page: null } });
  const [page = '', ...more] = await opened();
  expect(more).toEqual([]);
  expect(page.startsWith(`${server.origin}/authorize?`)).toBe(true);
  expect((await followPage(page)).text).toContain('Signed in');
  await expect
    .poll(async () => await call('signIns.list', {}))
    .toMatchObject({ value: { servers: [{ standing: 'signed-in', isWaiting: false }] } });
});
