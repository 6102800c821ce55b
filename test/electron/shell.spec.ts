import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createHome, giveToUser, launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';

const homes: string[] = [];
function newHome(): string {
  const home = createHome();
  homes.push(home);
  return home;
}
test.afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

const exitCode = (launched: LaunchedApp) => {
  const child = launched.app.process();
  return new Promise<number | null>((resolve) => child.once('exit', resolve));
};
const sizeOf = (launched: LaunchedApp) =>
  launched.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds());

test('a second start shows the first window and ends', async () => {
  const home = newHome();
  const first = await launchApp({ home });
  await expect(launchApp({ home })).rejects.toThrow();
  expect(first.window.isClosed()).toBe(false);
  expect(await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  await first.close();
});

test('closing the window ends the host cleanly within the limit, and the profile can be opened again', async () => {
  const home = newHome();
  for (const time of [1, 2]) {
    const launched = await launchApp({ home });
    const ended = exitCode(launched);
    const begun = performance.now();
    await launched.window.close();
    expect(await ended, `start ${time}`).toBe(0);
    expect(performance.now() - begun).toBeLessThan(8_000);
  }
});

test('a system that shuts down lets the host drain and close first', async () => {
  test.skip(process.platform === 'win32', 'Windows has no such signal; there the window is told that the session ends');
  const home = newHome();
  const launched = await launchApp({ home });
  const folder = await launched.app.evaluate(({ app }) => app.getPath('userData'));
  const ended = exitCode(launched);
  launched.app.process().kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(readFileSync(path.join(folder, 'window.log'), 'utf8')).toContain('"event":"stopped","isComplete":true');
});

test('the window comes back as it was left, and not on a screen that is gone', async () => {
  const home = newHome();
  const first = await launchApp({ home });
  await first.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 40, y: 60, width: 900, height: 640 }),
  );
  await expect.poll(async () => (await sizeOf(first))?.width).toBe(900);
  const folder = await first.app.evaluate(({ app }) => app.getPath('userData'));
  await first.close();

  const second = await launchApp({ home });
  expect(await sizeOf(second)).toMatchObject({ width: 900, height: 640 });
  await second.close();

  const file = path.join(folder, 'window-state.json');
  writeFileSync(file, JSON.stringify({ x: 50_000, y: -50_000, width: 900, height: 640, isMaximized: false }));
  giveToUser(file);
  const third = await launchApp({ home });
  const bounds = await sizeOf(third);
  expect(bounds?.x).toBeLessThan(10_000);
  expect(bounds?.y).toBeGreaterThan(-10_000);
  await third.close();

  writeFileSync(file, '{"x":"nonsense"');
  const fourth = await launchApp({ home });
  expect((await sizeOf(fourth))?.width).toBeGreaterThanOrEqual(720);
  await fourth.close();
});

test('a host that cannot start says why on a page that needs no host, and ends with a code', async () => {
  const home = newHome();
  // A file where the folder should be.
  const profile = path.join(home, 'not-a-folder');
  writeFileSync(profile, '');
  giveToUser(profile);
  const launched = await launchApp({ home, env: { FENCEPOST_PROFILE: profile } });
  await expect(launched.window.getByRole('heading', { name: 'Fencepost can’t start' })).toBeVisible();
  await expect(launched.window.getByRole('alert')).toContainText(profile);
  await expect(launched.window.locator('code')).toHaveText('folder-read-only');
  expect(await launched.window.evaluate(() => document.scripts.length)).toBe(0);
  expect((await launched.window.evaluate(() => window.fencepost?.call('overview.get', {})))?.ok).toBe(false);
  const ended = exitCode(launched);
  await launched.window.close();
  expect(await ended).toBe(74);
});
