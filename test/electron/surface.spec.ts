import { expect, test } from '@playwright/test';
import type { Bridge } from '../../src/shared/contract/api.ts';
import { launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';

// Items 17 and 20 of Electron's security checklist: who may talk to the host, and what a page is given for it.

let launched: LaunchedApp;

test.beforeAll(async () => {
  launched = await launchApp();
  await launched.window.waitForURL('app://fencepost/**');
});
test.afterAll(() => launched.close());

test('17: a page in a window that is not ours gets no answer, even with our preload and our address', async () => {
  const forged = await launched.app.evaluate(async ({ app, BrowserWindow }) => {
    const window = new BrowserWindow({
      show: false,
      webPreferences: { preload: `${app.getAppPath()}/out/preload/index.cjs`, sandbox: true },
    });
    await window.loadURL('app://fencepost/index.html');
    const answer: unknown = await window.webContents.executeJavaScript("window.fencepost.call('overview.get', {})");
    window.destroy();
    return answer;
  });
  expect(forged).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
});

test('20: the page is given two frozen functions and nothing of Electron', async () => {
  const surface = await launched.window.evaluate(async () => {
    const { fencepost } = window as unknown as { fencepost: Bridge };
    // oxlint-disable-next-line typescript/unbound-method -- compared, not called
    const before = fencepost.call;
    try {
      Object.assign(window, { fencepost: null });
    } catch {
      // Refusing aloud is as good as refusing.
    }
    try {
      Object.assign(fencepost, { call: null, extra: 1 });
    } catch {
      // The same.
    }
    return {
      names: Object.keys(fencepost),
      isFrozen: Object.isFrozen(fencepost),
      isSame: window.fencepost?.call === before,
      kinds: Object.values(fencepost).map((member) => typeof member),
      forged: await Promise.all(
        ['constructor', '__proto__', 'nothing.here'].map((route) =>
          fencepost.call(route as 'overview.get', {}).then((answer) => answer.ok),
        ),
      ),
      own: (await fencepost.call('overview.get', {})).ok,
    };
  });
  expect(surface).toEqual({
    names: ['call', 'onChange'],
    isFrozen: true,
    isSame: true,
    kinds: ['function', 'function'],
    forged: [false, false, false],
    own: true,
  });
});

test('20: a listener is told the notice and not the event', async () => {
  const told = launched.window.evaluate(
    () => new Promise<unknown[]>((resolve) => window.fencepost?.onChange((...given: unknown[]) => resolve(given))),
  );
  const notice = { sequence: 1, previousSequence: 1, runIds: [], agentIds: [] };
  await launched.window.waitForTimeout(100);
  await launched.app.evaluate(
    ({ webContents }, sent) => webContents.getAllWebContents()[0]?.send('fencepost:change', sent),
    notice,
  );
  expect(await told).toEqual([notice]);
});
