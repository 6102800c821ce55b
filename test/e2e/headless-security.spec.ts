import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { runHeadlessEntry, startHeadless } from '../harness/headless-host.ts';
import type { HeadlessHost } from '../harness/headless-host.ts';

// The browser's door as a real browser and a real host see it. What needs forged headers is in test/bridge.

let folder: string;
let profile: string;
let host: HeadlessHost;

test.beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-browser-'));
  profile = path.join(folder, 'profile');
  host = await startHeadless(profile);
});
test.afterAll(async () => {
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

/** A second link, as a person gets one in a second terminal. */
async function newLink(): Promise<string> {
  const { code, output } = await runHeadlessEntry(profile, ['--new-link']);
  expect(code).toBe(0);
  return /^Open (\S+)$/mu.exec(output)?.[1] ?? '';
}

async function signIn(page: Page): Promise<void> {
  await page.goto(await newLink());
  await page.waitForURL((url) => url.pathname === '/');
}

test('the printed link signs in once, and leaves no token behind', async ({ page, context, browser }) => {
  const link = host.link;
  const token = link.split('#')[1] ?? '';
  const seen: string[] = [];
  page.on('request', (request) => seen.push(`${request.url()} ${JSON.stringify(request.headers())}`));
  await page.goto(link);
  await page.waitForURL((url) => url.pathname === '/');
  expect(seen.join('\n')).not.toContain(token);
  expect(page.url()).not.toContain(token);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain(token);
  const cookies = await context.cookies();
  expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict', expires: -1 })]);

  const other = await browser.newContext();
  const late = await other.newPage();
  await late.goto(link);
  await expect(late.getByRole('status')).toContainText('used already');
  await late.goto(host.origin);
  await expect(late.getByRole('heading')).toHaveText('Not signed in');
  await other.close();
});

test('the window runs under the policy, and a forged call is refused', async ({ page }) => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/u.test(message.text())) complaints.push(message.text());
  });
  await signIn(page);
  await page.waitForLoadState('load');
  const answer = await page.evaluate(
    () =>
      new Promise<unknown>((resolve, reject) => {
        const socket = new WebSocket(`ws://${location.host}/bridge`);
        socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 1, route: '__proto__', request: {} })));
        socket.addEventListener('message', (event: MessageEvent<string>) => resolve(JSON.parse(event.data)));
        socket.addEventListener('close', () => reject(new Error('closed')));
      }),
  );
  expect(answer).toMatchObject({ id: 1, answer: { ok: false, error: { code: 'input-invalid' } } });
  expect(complaints).toEqual([]);
  const isBlocked = await page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        document.addEventListener('securitypolicyviolation', () => resolve(true), { once: true });
        document.body.append(Object.assign(new Image(), { src: 'https://example.invalid/x.png' }));
        setTimeout(() => resolve(false), 2_000);
      }),
  );
  expect(isBlocked).toBe(true);
});

test('a page on another port gets nothing, although the browser is signed in', async ({ page }) => {
  await signIn(page);
  const evil = http.createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html>evil'),
  );
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  try {
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    const got = await page.evaluate(async (origin) => {
      const outcome = (attempt: Promise<unknown>) =>
        attempt.then(
          () => 'reached',
          () => 'refused',
        );
      const load = (element: HTMLElement) =>
        new Promise((resolve, reject) => {
          element.addEventListener('load', resolve);
          element.addEventListener('error', reject);
          document.body.append(element);
        });
      const socket = new WebSocket(`${origin.replace('http', 'ws')}/bridge`);
      return [
        await outcome(
          new Promise(
            (resolve, reject) => (socket.addEventListener('open', resolve), socket.addEventListener('error', reject)),
          ),
        ),
        await outcome(fetch(`${origin}/`, { credentials: 'include' })),
        await outcome(fetch(`${origin}/session`, { method: 'POST', body: 'x', credentials: 'include' })),
        await outcome(load(Object.assign(document.createElement('script'), { src: `${origin}/start.js` }))),
        await outcome(
          load(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${origin}/problem.css` })),
        ),
        await fetch(`${origin}/`, { mode: 'no-cors', credentials: 'include' }).then(
          (one) => one.type,
          () => 'refused',
        ),
      ];
    }, host.origin);
    expect(got.slice(0, 5)).toEqual(['refused', 'refused', 'refused', 'refused', 'refused']);
    expect(['refused', 'opaque']).toContain(got[5]);
  } finally {
    evil.close();
  }
});

test('a name that points here (DNS rebinding) is refused', async ({ page }) => {
  await signIn(page);
  // Every browser takes names below `localhost` for this machine.
  const rebound = host.origin.replace('127.0.0.1', 'rebind.localhost');
  for (const target of ['/', '/start', '/start.js']) expect((await page.goto(rebound + target))?.status()).toBe(403);
});

test('a second start says who has the data, and how to get a link', async () => {
  const { code, output, complaint } = await runHeadlessEntry(profile);
  expect([code, output]).toEqual([73, '']);
  expect(complaint).toMatch(/using this data.*\n.*\n.*--new-link/u);
  // It has not taken the running one's way to a link with it.
  expect(await newLink()).toContain(host.origin);
});

test('what keeps it from starting is a sentence, a way out and a code', async () => {
  const broken = path.join(folder, 'broken');
  mkdirSync(broken, { mode: 0o700 });
  writeFileSync(path.join(broken, 'fencepost.sqlite'), 'this is no database '.repeat(400));
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const cases: [string, Record<string, string>, number][] = [
    [broken, {}, 65],
    [file, {}, 74],
    [path.join(folder, 'fresh'), { FENCEPOST_PORT: 'x' }, 1],
    [path.join(folder, 'fresh'), { FENCEPOST_PORT: new URL(host.origin).port }, 1],
  ];
  for (const [where, env, expected] of cases) {
    const { code, output, complaint } = await runHeadlessEntry(where, [], env);
    expect([code, output], complaint).toEqual([expected, '']);
    expect(complaint).toMatch(/^fencepost: .+\.\n.+\.\n$/u);
    expect(complaint).not.toMatch(/^\s+at /mu);
  }
});

test('either signal stops it cleanly, and its link is dead then', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const other = await startHeadless(path.join(folder, signal));
    expect(await other.stop(signal)).toBe(0);
    expect((await runHeadlessEntry(path.join(folder, signal), ['--new-link'])).code).toBe(1);
  }
});
