import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { createHome, giveToUser, launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';
import { openPage, skipOnboarding, startOne } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';

// How the app behaves beside its window: closing, quitting, sleep, and starting at sign-in.

const homes: string[] = [];
const receivers: Receiver[] = [];
test.afterAll(async () => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

function newHome(): string {
  const home = createHome();
  homes.push(home);
  return home;
}

/** Takes what comes and does not answer it. */
async function newReceiver(): Promise<Receiver> {
  const receiver = await Receiver.start();
  receiver.behaviour = () => 'hang';
  receivers.push(receiver);
  return receiver;
}

/** A desktop that says it shows icons of programs; there is no bus here that could say so itself. */
function withTray(home: string): Record<string, string> {
  const folder = path.join(home, 'bin');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'gdbus');
  writeFileSync(file, '#!/bin/sh\necho "(true,)"\n');
  chmodSync(file, 0o755);
  giveToUser(folder);
  return { PATH: `${folder}:${process.env.PATH ?? ''}` };
}

const exitCode = (launched: LaunchedApp) => {
  const child = launched.app.process();
  return new Promise<number | null>((resolve) => child.once('exit', resolve));
};
/** The close button of the window, as the system presses it. */
const pressClose = (launched: LaunchedApp) =>
  launched.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
const windowCount = (launched: LaunchedApp) =>
  launched.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
/** Ids of such requests count up from nought. */
const isKeptAwake = (launched: LaunchedApp) =>
  launched.app.evaluate(({ powerSaveBlocker }) =>
    Array.from({ length: 20 }, (_, id) => powerSaveBlocker.isStarted(id)).some(Boolean),
  );
const set = (page: Page, request: object) =>
  page.evaluate((wanted) => window.fencepost?.call('desktop.set', wanted), request);

/** Answers the question about closing from now on, and counts how often it is asked. */
function answerClose(launched: LaunchedApp, response: number): Promise<void> {
  return launched.app.evaluate(({ dialog }, button) => {
    const asked = ((dialog as unknown as { asked?: string[] }).asked ??= []);
    dialog.showMessageBox = (...given: unknown[]) => {
      asked.push((given.at(-1) as { message: string }).message);
      return Promise.resolve({ response: button, checkboxChecked: false });
    };
  }, response);
}
const timesAsked = (launched: LaunchedApp) =>
  launched.app.evaluate(({ dialog }) => (dialog as unknown as { asked?: string[] }).asked?.length ?? 0);

// NousResearch/hermes-agent#113712, pingdotgg/t3code#8423
test('closing asks once, a question that is cancelled changes nothing, and the icon brings the window back', async () => {
  test.skip(process.platform !== 'linux', 'elsewhere there always is a place for the icon');
  const home = newHome();
  const first = await launchApp({ home, env: withTray(home) });
  await skipOnboarding(first.window);
  await answerClose(first, 2);
  await pressClose(first);
  await expect.poll(() => timesAsked(first)).toBe(1);
  expect(await windowCount(first)).toBe(1);

  await answerClose(first, 0);
  await pressClose(first);
  await expect.poll(() => windowCount(first)).toBe(0);
  expect(await timesAsked(first)).toBe(2);
  const startAgain = (args: string[]) =>
    first.app.evaluate(
      ({ app }, given) => void app.emit('second-instance', {}, ['electron', ...given], '', null),
      args,
    );
  // The system starts it at sign-in; only a person wants to see the window.
  await startAgain(['--background']);
  expect(await windowCount(first)).toBe(0);
  const again = first.app.waitForEvent('window');
  await startAgain([]);
  const page = await again;
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await pressClose(first);
  await expect.poll(() => windowCount(first)).toBe(0);
  expect(await timesAsked(first)).toBe(2);
  await first.close();

  const second = await launchApp({ home, env: withTray(home) });
  await answerClose(second, 0);
  expect(await second.window.evaluate(() => window.fencepost?.call('desktop.get', {}))).toMatchObject({
    value: { onClose: 'background' },
  });
  await set(second.window, { onClose: 'quit' });
  const ended = exitCode(second);
  await pressClose(second);
  expect(await ended).toBe(0);
  // Nobody was asked: an answer that is remembered would have kept it running.
});

test('without a place for an icon closing quits, and nothing is left running that nobody could find', async () => {
  test.skip(process.platform !== 'linux', 'elsewhere there always is a place for the icon');
  const launched = await launchApp({ home: newHome() });
  const ended = exitCode(launched);
  await pressClose(launched);
  expect(await ended).toBe(0);
});

const QUIT_ONCE_MORE: Readonly<Record<string, (launched: LaunchedApp) => Promise<unknown>>> = {
  'the menu': ({ app }) => app.evaluate(({ app: application }) => application.quit()),
  'the close button': pressClose,
  'the button of the sheet': ({ window }) =>
    // The window may be gone before the press is confirmed.
    window
      .getByRole('button', { name: 'Quit now' })
      .click({ noWaitAfter: true })
      .catch((cause: unknown) => {
        if (!window.isClosed()) throw cause;
      }),
};

for (const [by, quitOnceMore] of Object.entries(QUIT_ONCE_MORE)) {
  test(`quitting shows what is on its way, once more by ${by} ends at once, and the step is asked about`, async () => {
    test.setTimeout(120_000);
    const home = newHome();
    const receiver = await newReceiver();
    const first = await launchApp({ home });
    await skipOnboarding(first.window);
    await startOne(first.window, receiver, 'stop-here');
    const ended = exitCode(first);
    const begun = performance.now();
    await first.app.evaluate(({ app }) => app.quit());
    const sheet = first.window.getByRole('dialog', { name: 'Fencepost is quitting' });
    await expect(sheet.getByRole('list', { name: 'On its way' }).getByRole('listitem')).toHaveCount(1);
    await quitOnceMore(first);
    expect(await ended).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5_000);

    const second = await launchApp({ home });
    await openPage(second.window, 'Needs you');
    await expect(second.window.getByRole('link', { name: /Journey stop-here/u })).toBeVisible({ timeout: 30_000 });
    await second.close();
    expect(receiver.hits('/blind/stop-here')).toBe(1);
  });
}

test('quitting waits for what ends in time, and nothing of it is unclear', async () => {
  test.setTimeout(120_000);
  const home = newHome();
  const receiver = await newReceiver();
  const answer = Promise.withResolvers<void>();
  receiver.behaviour = () => 'answer';
  receiver.answerAfter = () => answer.promise;
  const first = await launchApp({ home });
  await skipOnboarding(first.window);
  await startOne(first.window, receiver, 'carry-on');
  const ended = exitCode(first);
  await first.app.evaluate(({ app }) => app.quit());
  const sheet = first.window.getByRole('dialog', { name: 'Fencepost is quitting' });
  await expect(sheet.getByRole('list', { name: 'On its way' }).getByRole('listitem')).toHaveCount(1);
  answer.resolve();
  expect(await ended).toBe(0);

  const second = await launchApp({ home });
  await openPage(second.window, 'Runs');
  await expect(second.window.getByRole('row', { name: /Done.*Journey carry-on/u })).toBeVisible({ timeout: 30_000 });
  await second.close();
  expect(receiver.hits('/blind/carry-on')).toBe(1);
});

test('a start at sign-in has a window where there is no place for an icon', async () => {
  test.skip(process.platform !== 'linux', 'elsewhere there always is a place for the icon');
  const launched = await launchApp({ home: newHome(), args: ['--background'] });
  await expect(launched.window.getByRole('button', { name: 'Skip, I’ll look around myself' })).toBeVisible();
  await launched.close();
});

// anthropics/claude-code#46483, aaddrick/claude-desktop-debian#605
test('the system is kept awake only while something is on its way, and only if that is wanted', async () => {
  test.setTimeout(120_000);
  const receiver = await newReceiver();
  const launched = await launchApp({ home: newHome() });
  await skipOnboarding(launched.window);
  await set(launched.window, { keepsAwake: true });
  expect(await isKeptAwake(launched)).toBe(false);
  await startOne(launched.window, receiver, 'carry-on');
  await expect.poll(() => isKeptAwake(launched)).toBe(true);
  await set(launched.window, { keepsAwake: false });
  await expect.poll(() => isKeptAwake(launched)).toBe(false);
  await set(launched.window, { keepsAwake: true });
  await expect.poll(() => isKeptAwake(launched)).toBe(true);
  receiver.cutAll();
  await expect.poll(() => isKeptAwake(launched), { timeout: 20_000 }).toBe(false);
  await launched.close();
});

test('starting at sign-in is an entry of the desktop, which goes again when it is not wanted', async () => {
  test.skip(process.platform !== 'linux', 'Windows and macOS keep it elsewhere');
  const home = newHome();
  const launched = await launchApp({ home });
  await skipOnboarding(launched.window);
  await openPage(launched.window, 'Settings');
  const section = launched.window.getByRole('region', { name: 'On the desktop' });
  const starts = section.getByRole('switch', { name: 'Start when I sign in' });
  await expect(starts).not.toBeChecked();
  await starts.click();
  await expect(starts).toBeChecked();
  const file = path.join(home, '.config', 'autostart', 'fencepost.desktop');
  expect(readFileSync(file, 'utf8')).toMatch(/^Exec=".+" "--background"$/mu);
  await starts.click();
  await expect(starts).not.toBeChecked();
  expect(existsSync(file)).toBe(false);
  await launched.close();
});
