import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { recordScreen } from '../harness/record-screen.ts';
import {
  aloneView,
  coordinatorView,
  devicesView,
  embeddedView,
  FAILED_CHECKS,
  invitationView,
  joiningView,
  moveView,
  WORDS,
} from '../harness/window-devices.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, goTo, openWindow } from '../harness/window-page.ts';
import { conflictView, syncChip, syncView, WORDS_VIEW } from '../harness/window-sync.ts';

test.use({ viewport: { width: 1280, height: 820 } });
// axe looks at each screen in both themes.
test.describe.configure({ timeout: 150_000 });

/** Opens a screen of the fixture, with other answers where a test needs them. */
async function openAt(page: Page, place: string, answers: object = {}): Promise<void> {
  await openWindow(page, { ...windowAnswers(Date.now()), ...answers });
  await goTo(page, place);
}

test.describe('several devices', () => {
  test('the right to act: every state, and taking over', async ({ page }) => {
    await openAt(page, '/leases');
    await page.getByRole('button', { name: 'Show Price watch' }).click();
    await recordScreen(page, 'leases-devices');
    await page.getByRole('button', { name: 'Take over…' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await recordScreen(page, 'leases-take-over');
  });

  test('after a restore: raising asks first', async ({ page }) => {
    await openAt(page, '/leases');
    await page.getByRole('button', { name: 'Show Shop window' }).click();
    await page.getByRole('button', { name: 'After a restore: raise it…' }).click();
    await recordScreen(page, 'leases-raise');
  });

  test('devices around a hub', async ({ page }) => {
    await openAt(page, '/devices');
    await expect(page.getByRole('row', { name: /Work-PC/u })).toBeVisible();
    await recordScreen(page, 'devices');
  });

  test('only this device: the screen teaches', async ({ page }) => {
    await openAt(page, '/devices', { 'devices.list': aloneView(), 'coordinator.get': embeddedView() });
    await expect(page.getByRole('heading', { name: 'Only this device acts' })).toBeVisible();
    await recordScreen(page, 'devices-alone');
  });
});

test.describe('pairing', () => {
  test('at the hub: the link, then the words', async ({ page }) => {
    const now = Date.now();
    const invitation = invitationView(now);
    await openAt(page, '/devices', { 'devices.invite': { sentence: 'A link is open.' } });
    await page.getByRole('button', { name: 'Pair a device…' }).click();
    await answerWith(page, { 'devices.list': devicesView(now, { invitation }) });
    await expect(page.getByRole('img', { name: 'The link as a QR code' })).toBeVisible();
    await recordScreen(page, 'devices-pair');
    const asks = { ...invitation, state: 'asks', deviceName: 'Loft-Mini', words: WORDS } as const;
    await answerWith(page, { 'devices.list': devicesView(now, { invitation: asks }) });
    await expect(page.getByRole('list', { name: 'The six words' })).toBeVisible();
    await recordScreen(page, 'devices-words');
  });

  test('at the new device: the link, then the same words', async ({ page }) => {
    await openAt(page, '/devices', {
      'devices.list': aloneView(),
      'coordinator.get': embeddedView(),
      'devices.join': { sentence: 'Connecting.' },
    });
    await page.getByRole('button', { name: 'Join with a link…' }).click();
    await recordScreen(page, 'devices-join');
    await page.getByLabel('Link from the hub').fill('fencepost://pair?hub=192.168.1.20:7411');
    await page.getByRole('button', { name: 'Connect' }).click();
    await answerWith(page, { 'devices.list': { ...aloneView(), joining: joiningView('compares') } });
    await expect(page.getByRole('list', { name: 'The six words' })).toBeVisible();
    await recordScreen(page, 'devices-join-words');
  });
});

test.describe('sync', () => {
  /** The page scrolled to its second half, with the chip in the status bar. */
  async function openSync(page: Page, sync: object, answers: object = {}): Promise<void> {
    const now = Date.now();
    const chip = syncChip(now);
    const overview = { ...windowAnswers(now)['overview.get'], sync: chip };
    await openAt(page, '/devices', { 'overview.get': overview, 'sync.get': sync, ...answers });
    await page.getByRole('heading', { name: 'Sync', exact: true }).evaluate((title) => title.scrollIntoView());
  }

  test('every device with what it has, and what needs a look', async ({ page }) => {
    await openSync(page, syncView(Date.now()));
    await recordScreen(page, 'sync');
    await page
      .getByRole('row', { name: /Work-PC/u })
      .getByRole('button', { name: 'Let go of Work-PC' })
      .click();
    await recordScreen(page, 'sync-let-go');
  });

  test('it happened twice', async ({ page }) => {
    const now = Date.now();
    const devices = syncView(now).devices.slice(0, 3);
    const sentence =
      'Everything that This Mac did has reached 1 of 2 other devices. 38 entries wait for Travel-Laptop.';
    await openSync(page, syncView(now, { state: 'ready', sentence, devices, conflicts: [conflictView(now)] }));
    await page.getByRole('article').scrollIntoViewIfNeeded();
    await recordScreen(page, 'sync-twice');
  });

  test('the first catch-up', async ({ page }) => {
    const catchUp = { done: 61_240, total: 100_000 };
    const sentence =
      '61,240 of 100,000 entries of other devices are here. Until it is done, This Mac begins nothing new.';
    const devices = syncView(Date.now()).devices.slice(0, 3);
    await openSync(page, syncView(Date.now(), { state: 'catching-up', sentence, catchUp, devices }));
    await recordScreen(page, 'sync-catching-up');
  });

  test('nothing is shared: the section teaches; then the set-up', async ({ page }) => {
    await openAt(page, '/devices', { 'devices.list': aloneView(), 'coordinator.get': embeddedView() });
    await page.getByRole('button', { name: 'Share with your other devices…' }).scrollIntoViewIfNeeded();
    await recordScreen(page, 'sync-off');
    await page.getByRole('button', { name: 'Share with your other devices…' }).click();
    await page.getByRole('radio', { name: 'No, join with recovery words' }).click();
    await page.getByRole('radio', { name: 'A folder' }).click();
    await recordScreen(page, 'sync-set-up');
  });

  test('the recovery words, and forgetting them', async ({ page }) => {
    await openSync(page, syncView(Date.now(), { hasWords: true }), { 'sync.words': WORDS_VIEW });
    await page.getByRole('button', { name: 'Show the words…' }).click();
    await expect(page.getByRole('list', { name: 'The 24 recovery words' })).toBeVisible();
    await recordScreen(page, 'sync-words');
    await page.getByRole('button', { name: 'I have written them down' }).click();
    await recordScreen(page, 'sync-forget');
  });
});

test.describe('where the right to act is kept', () => {
  test('the section, with a move half way', async ({ page }) => {
    await openAt(page, '/settings', { 'coordinator.get': coordinatorView({ move: moveView() }) });
    await page.getByRole('region', { name: 'Where the right to act is kept' }).scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Leave off the move' }).scrollIntoViewIfNeeded();
    await recordScreen(page, 'settings-right-to-act');
  });

  test('choosing PostgreSQL, and a test that fails', async ({ page }) => {
    await openAt(page, '/settings/right-to-act', {
      'coordinator.test': { checks: FAILED_CHECKS, isUsable: false },
      'coordinator.get': embeddedView(),
    });
    await page.getByRole('radio', { name: 'PostgreSQL' }).click();
    await recordScreen(page, 'settings-choose');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByLabel('Host').fill('db.example');
    await page.getByLabel('Database').fill('fencepost');
    await page.getByLabel('User').fill('fencepost');
    await recordScreen(page, 'settings-fields');
    await page.getByRole('button', { name: 'Test it' }).click();
    await expect(page.getByText('turned away the password')).toBeVisible();
    await recordScreen(page, 'settings-test');
  });
});
