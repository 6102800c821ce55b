import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { giveToUser, launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';
import { readSources } from './read-sources.ts';

// Electron's security checklist, item by item (reliability.md 3.1), against the built application in a real Electron.

declare global {
  interface Window {
    readonly probe?: { readonly isSandboxed: boolean; readonly isContextIsolated: boolean };
  }
}

let launched: LaunchedApp;
const requested: string[] = [];

test.beforeAll(async () => {
  launched = await launchApp();
  launched.window.on('request', (request) => requested.push(request.url()));
  await launched.window.waitForURL('app://fencepost/**');
});
test.afterAll(() => launched.close());

test('1, 18: only our own scheme is loaded, and no file', async () => {
  expect(launched.window.url()).toMatch(/^app:\/\/fencepost\//u);
  expect(await launched.window.evaluate(() => window.origin)).toBe('app://fencepost');
  await launched.window.reload();
  await launched.window.waitForLoadState('load');
  expect(requested.filter((url) => !/^(app:\/\/fencepost\/|data:)/u.test(url))).toEqual([]);
  const blocked = await launched.window.evaluate(async () => {
    const kinds = await Promise.allSettled(
      ['file:///etc/passwd', 'http://127.0.0.1:9/', 'https://example.invalid/'].map((url) => fetch(url)),
    );
    return kinds.map((kind) => kind.status);
  });
  expect(blocked).toEqual(['rejected', 'rejected', 'rejected']);
});

test('18: no path of the scheme leads out of the window’s files', async () => {
  const paths = [
    '/..%2f..%2fpackage.json',
    '/..%5c..%5cpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '/index.html%00',
    '/index.html::$DATA',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
  ];
  const statuses = await launched.window.evaluate(
    (all) => Promise.all(all.map(async (one) => (await fetch(`app://fencepost${one}`)).status)),
    paths,
  );
  expect(statuses).toEqual(paths.map(() => 404));
});

test('2, 3, 6, 8–12: the page has no Node, and every protecting preference is on', async () => {
  const globals = await launched.window.evaluate(() =>
    [
      'require',
      'process',
      'module',
      'exports',
      'Buffer',
      'global',
      '__dirname',
      'electron',
      'ipcRenderer',
      'setImmediate',
    ].filter((name) => name in window),
  );
  expect(globals).toEqual([]);
  const preferences = await launched.app.evaluate(({ webContents }) =>
    webContents.getAllWebContents().map((contents) => {
      // Electron has it without declaring it any longer.
      const { getLastWebPreferences } = contents as unknown as { getLastWebPreferences: () => Record<string, unknown> };
      const all = getLastWebPreferences.call(contents);
      const names = [
        'contextIsolation',
        'sandbox',
        'nodeIntegration',
        'nodeIntegrationInWorker',
        'nodeIntegrationInSubFrames',
        'webSecurity',
        'allowRunningInsecureContent',
        'experimentalFeatures',
        'webviewTag',
      ];
      return {
        ...Object.fromEntries(names.map((name) => [name, all[name] ?? false])),
        blink: all.enableBlinkFeatures || 'none',
      };
    }),
  );
  expect(preferences).toEqual([
    {
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      blink: 'none',
    },
  ]);
});

test('3, 4: the preload runs sandboxed and isolated, and the system holds the page’s process', async () => {
  const file = path.join(launched.home, 'probe.cjs');
  writeFileSync(
    file,
    "require('electron').contextBridge.exposeInMainWorld('probe', { isSandboxed: process.sandboxed === true, isContextIsolated: process.contextIsolated === true });",
  );
  giveToUser(file);
  await launched.app.evaluate(({ session }, filePath) => {
    // Electron 35 has the first, 33 the second.
    const own = session.defaultSession as unknown as {
      registerPreloadScript?: (script: object) => string;
      setPreloads(files: string[]): void;
    };
    if (own.registerPreloadScript) own.registerPreloadScript({ type: 'frame', filePath });
    else own.setPreloads([filePath]);
  }, file);
  await launched.window.reload();
  expect(await launched.window.evaluate(() => window.probe)).toEqual({ isSandboxed: true, isContextIsolated: true });
  const pid = await launched.app.evaluate(({ webContents }) => webContents.getAllWebContents()[0]?.getOSProcessId());
  if (process.platform === 'linux') {
    // 2: a system call filter is on. macOS and Windows have no such file; there the line above stands alone.
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\s2$/mu);
  }
});

test('5: every permission is denied', async () => {
  const answers = await launched.window.evaluate(async () => {
    const outcome = (ask: Promise<unknown>) =>
      ask.then(
        () => 'granted',
        () => 'denied',
      );
    const names = [
      'geolocation',
      'notifications',
      'camera',
      'microphone',
      'midi',
      'clipboard-read',
      'clipboard-write',
      'persistent-storage',
      'idle-detection',
      'screen-wake-lock',
      'local-fonts',
      'window-management',
    ];
    const queried = await Promise.all(
      names.map((name) =>
        navigator.permissions.query({ name: name as PermissionName }).then(
          (status) => `${name} ${status.state}`,
          () => `${name} denied`,
        ),
      ),
    );
    const device = (name: string) => {
      const api = (
        navigator as unknown as Record<
          string,
          { requestDevice?(o: object): Promise<unknown>; requestPort?(): Promise<unknown> } | undefined
        >
      )[name];
      return outcome(
        api?.requestDevice?.({ filters: [] }) ?? api?.requestPort?.() ?? Promise.reject(new Error('absent')),
      );
    };
    return {
      granted: queried.filter((one) => !one.endsWith(' denied')),
      asked: [
        await outcome(new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject))),
        await outcome(navigator.mediaDevices.getUserMedia({ audio: true })),
        await outcome(navigator.mediaDevices.getDisplayMedia()),
        await outcome(navigator.clipboard.readText()),
        await outcome(navigator.requestMIDIAccess()),
        await Notification.requestPermission(),
        await device('usb'),
        await device('hid'),
        await device('serial'),
      ],
    };
  });
  expect(answers).toEqual({ granted: [], asked: answers.asked.map(() => 'denied') });
});

test('11, 12: a <webview> stays an unknown element', async () => {
  const kind = await launched.window.evaluate(async () => {
    const view = document.createElement('webview');
    view.setAttribute('src', 'https://example.invalid/');
    document.body.append(view);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return view.constructor.name;
  });
  expect(kind).toMatch(/^HTML(Unknown)?Element$/u);
  expect(await launched.app.evaluate(({ webContents }) => webContents.getAllWebContents().length)).toBe(1);
});

test('13: the window goes nowhere', async () => {
  for (const url of [
    'https://example.invalid/',
    'http://127.0.0.1:9/',
    'file:///etc/passwd',
    'app://other/index.html',
    'app://fencepost/assets/x.svg',
    'data:text/html,x',
    'javascript:void(document.title="x")',
  ]) {
    await launched.window.evaluate((target) => setTimeout(() => (location.href = target)), url);
    await launched.window.waitForTimeout(200);
    expect(new URL(launched.window.url()).href.split('#')[0], url).toBe('app://fencepost/index.html');
  }
});

test('14, 15: no second window and no other program is opened', async () => {
  await launched.app.evaluate(({ shell }) => {
    const calls: string[] = [];
    Object.assign(shell, { openExternal: async (url: string) => void calls.push(url), calls });
  });
  for (const url of [
    'https://example.invalid/',
    'mailto:a@example.invalid',
    'ms-settings:',
    'file:///etc/passwd',
    'app://fencepost/index.html',
    'about:blank',
  ]) {
    const isNull = await launched.window.evaluate((target) => {
      const link = Object.assign(document.createElement('a'), { href: target, target: '_blank' });
      document.body.append(link);
      link.click();
      return window.open(target) === null;
    }, url);
    expect(isNull, url).toBe(true);
  }
  await launched.window.waitForTimeout(300);
  const counts = await launched.app.evaluate(({ BrowserWindow, shell }) => [
    BrowserWindow.getAllWindows().length,
    (shell as unknown as { calls: string[] }).calls.length,
  ]);
  expect(counts).toEqual([1, 0]);
});

test('1, 8–10, 14, 15, 18: the sources have one window factory and no way out of it', () => {
  const sources = readSources();
  const where = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  expect(where(/\bopenPath\b/u)).toEqual(['src/main/electron/electron-open-folder.ts']);
  expect(where(/\bopenExternal\b/u)).toEqual(['src/main/electron/electron-open-link.ts']);
  expect(where(/new BrowserWindow\(/u)).toEqual(['src/main/electron/electron-window.ts']);
  expect(
    where(
      /\bloadFile|\.loadURL\((?!url\))|webSecurity: false|allowRunningInsecureContent: true|enableBlinkFeatures|no-sandbox|BrowserView|enableRemoteModule/u,
    ),
  ).toEqual([]);
  expect(
    where(/from 'electron'/u).filter((file) => !/^src\/(main\/electron\/|main\/index\.ts$|preload\/)/u.test(file)),
  ).toEqual([]);
  expect(sources.find(({ file }) => file === 'src/preload/index.ts')?.text.split('\n').length).toBeLessThanOrEqual(41);
});
