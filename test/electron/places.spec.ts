import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createHome, launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';

// The system's menu and links from outside: both open places of the window and do nothing else.

let home: string;
let launched: LaunchedApp;
let beginning: string;

test.beforeAll(async () => {
  home = createHome();
  launched = await launchApp({ home, args: ['fencepost://agents'] });
  await launched.window.waitForURL('app://fencepost/**');
  beginning = new URL(launched.window.url()).hash;
  await launched.window.getByRole('button', { name: 'Skip, I’ll look around myself' }).click();
  await expect(launched.window.getByRole('navigation', { name: 'Main' })).toBeVisible();
});
test.afterAll(async () => {
  await launched.close();
  rmSync(home, { recursive: true, force: true });
});

const hash = () => new URL(launched.window.url()).hash;
const choose = (id: string) =>
  launched.app.evaluate(({ Menu }, item) => Menu.getApplicationMenu()?.getMenuItemById(item)?.click(), id);
const open = (link: string) =>
  launched.app.evaluate(({ app }, to) => void app.emit('second-instance', {}, ['electron', '.', to], '', null), link);

test('a link that starts the program leads to its place, and the window is loaded once', async () => {
  expect(beginning).toBe('#/agents');
  await open('fencepost://agents');
  await expect(launched.window.getByRole('heading', { name: 'Agents', level: 1 })).toBeVisible();
  await launched.window.evaluate(() => Object.assign(window, { isTheSame: true }));
  await open('fencepost://leases');
  await expect(launched.window.getByRole('heading', { name: 'Right to act', level: 1 })).toBeVisible();
  await open('fencepost://leases');
  expect(await launched.window.evaluate(() => 'isTheSame' in window)).toBe(true);
});

test('a link that is none of ours says so, and goes nowhere', async () => {
  await open('fencepost://run/a?do=stop');
  await expect(launched.window.getByText('That link leads nowhere in Fencepost.')).toBeVisible();
  const folder = await launched.app.evaluate(({ app }) => app.getPath('userData'));
  const log = readFileSync(path.join(folder, 'window.log'), 'utf8');
  expect(log).toContain('link-refused');
  expect(log).not.toContain('do=stop');
});

test('the menu opens screens, the palette and the keys, with the keys that the page itself hears', async () => {
  await choose('place-2');
  await expect(launched.window.getByRole('heading', { name: 'Runs', level: 1 })).toBeVisible();
  await choose('palette');
  await expect(launched.window.getByRole('dialog', { name: 'Commands' })).toBeVisible();
  await launched.window.keyboard.press('Escape');
  expect(hash()).toBe('#/runs');
  await choose('help');
  await expect(launched.window.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await launched.window.keyboard.press('Escape');
  await launched.window.keyboard.press('ControlOrMeta+k');
  await expect(launched.window.getByRole('dialog', { name: 'Commands' })).toBeVisible();
  const accelerators = await launched.app.evaluate(({ Menu }) =>
    ['palette', 'help', 'place-1'].map((id) => Menu.getApplicationMenu()?.getMenuItemById(id)?.accelerator),
  );
  expect(accelerators).toEqual(['CmdOrCtrl+K', 'CmdOrCtrl+/', 'CmdOrCtrl+1']);
});

test('Linux is told who opens such links', async () => {
  test.skip(process.platform !== 'linux', 'Windows and macOS keep it elsewhere');
  const entry = readFileSync(path.join(home, '.local', 'share', 'applications', 'fencepost.desktop'), 'utf8');
  expect(entry).toContain('MimeType=x-scheme-handler/fencepost;');
  expect(entry).toMatch(/^Exec=".+" ".+" %u$/mu);
});
