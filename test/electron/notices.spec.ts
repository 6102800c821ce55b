import { rmSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { createHome, launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';
import { openPage, skipOnboarding, startOne } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';

// What the system is told, and what it is told no more.

let home: string;
let receiver: Receiver;
test.beforeEach(async () => {
  home = createHome();
  receiver = await Receiver.start();
});
test.afterEach(async () => {
  await receiver.close();
  rmSync(home, { recursive: true, force: true });
});

interface Told {
  readonly title: string;
  readonly body: string;
  readonly isGone: boolean;
}

/** Stands in for the system's notifications, and for somebody who does something else. */
function watchNotices(launched: LaunchedApp): Promise<void> {
  return launched.app.evaluate(({ BrowserWindow, Notification }) => {
    const told: { title: string; body: string; shown: Electron.Notification; isGone: boolean }[] = [];
    Notification.isSupported = () => true;
    Notification.prototype.show = function show(this: Electron.Notification) {
      told.push({ title: this.title, body: this.body, shown: this, isGone: false });
    };
    Notification.prototype.close = function close(this: Electron.Notification) {
      for (const each of told) if (each.shown === this) each.isGone = true;
    };
    Object.assign(Notification, { told });
    BrowserWindow.getAllWindows()[0]?.blur();
    BrowserWindow.prototype.isFocused = () => false;
  });
}
const toldOf = (launched: LaunchedApp) => (): Promise<Told[]> =>
  launched.app.evaluate(({ Notification }) =>
    (Notification as unknown as { told: Told[] }).told.map(({ title, body, isGone }) => ({ title, body, isGone })),
  );
/** What the system does with the first one. */
const happens = (launched: LaunchedApp, event: 'click' | 'failed') =>
  launched.app.evaluate(
    ({ Notification }, name) =>
      void (Notification as unknown as { told: { shown: Electron.Notification }[] }).told[0]?.shown.emit(
        name as 'click',
      ),
    event,
  );

test('a notification is shown for what needs a person, says nothing of it, opens it, and goes when it is answered', async () => {
  test.setTimeout(120_000);
  receiver.behaviour = () => 'hang';
  const launched = await launchApp({ home });
  await skipOnboarding(launched.window);
  await watchNotices(launched);
  const told = toldOf(launched);
  await startOne(launched.window, receiver, 'stop-here');
  expect(await told()).toEqual([]);
  // The connection ends without an answer: nobody knows.
  receiver.cutAll();
  await expect.poll(told, { timeout: 20_000 }).toHaveLength(1);
  const [notice] = await told();
  expect(notice?.title).toMatch(/ · Run \d{4}$/u);
  expect(notice?.body).toBe('We can’t tell whether a step happened. Nothing is sent again until you decide.');
  expect(JSON.stringify(notice)).not.toMatch(/Journey|stop-here|127\.0\.0\.1|hello/u);

  await happens(launched, 'click');
  await expect(launched.window.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
  await expect(launched.window.getByRole('radio', { checked: true })).toHaveCount(0);
  expect((await told())[0]?.isGone).toBe(false);

  await launched.window.getByRole('radio', { name: /^Stop here/u }).click();
  await launched.window.getByRole('button', { name: 'Stop here', exact: true }).click();
  await expect.poll(async () => (await told())[0]?.isGone, { timeout: 20_000 }).toBe(true);
  expect(await told()).toHaveLength(1);
  await launched.close();
});

test('a failure that was sent is told once, also over a restart, goes when it is seen, and a system that blocks it is named', async () => {
  test.setTimeout(120_000);
  receiver.behaviour = () => 'refuse';
  const first = await launchApp({ home });
  await skipOnboarding(first.window);
  await watchNotices(first);
  const told = toldOf(first);
  await startOne(first.window, receiver, 'stop-here');
  await expect.poll(told, { timeout: 20_000 }).toHaveLength(1);
  expect(await told()).toEqual([
    {
      title: expect.stringMatching(/ · Run \d{4}$/u),
      body: 'It failed after something was sent. Nothing more of it is sent.',
      isGone: false,
    },
  ]);
  await happens(first, 'failed');
  await openPage(first.window, 'Settings');
  await expect(first.window.getByText('The system did not show the last notification.')).toBeVisible();

  // Now somebody looks at it.
  await first.app.evaluate(({ BrowserWindow }) => (BrowserWindow.prototype.isFocused = () => true));
  await happens(first, 'click');
  await expect(first.window.getByRole('tab', { name: /Timeline/u })).toBeVisible();
  await expect.poll(async () => (await told())[0]?.isGone, { timeout: 20_000 }).toBe(true);
  await first.close();

  const second = await launchApp({ home });
  await watchNotices(second);
  const toldAgain = toldOf(second);
  await openPage(second.window, 'Runs');
  await expect(second.window.getByRole('row', { name: /Journey stop-here/u })).toBeVisible();
  // Something else becomes news meanwhile: whatever was to be told again would have been by then.
  await startOne(second.window, receiver, 'carry-on');
  await expect.poll(toldAgain, { timeout: 20_000 }).toHaveLength(1);
  await second.close();
});
