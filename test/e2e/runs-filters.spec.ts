import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { seedProfile } from '../harness/seeded-profile.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { goTo, openWindow } from '../harness/window-page.ts';

/** Opens a list of filters and takes one, with keys alone. */
async function chooseByKeys(page: Page, menu: string, downs: number): Promise<void> {
  await page.locator('.runs-filters').getByRole('button', { name: menu, exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu', { name: menu })).toBeVisible();
  // The first one is marked as soon as the list is open.
  await expect(page.getByRole('menuitemcheckbox').first()).toBeFocused();
  for (let step = 0; step < downs; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu', { name: menu })).toHaveCount(0);
}

test('runs are found by their device and by when they started, with keys alone, and each filter is taken off again', async ({
  page,
}) => {
  const nowMs = Date.now();
  const answers = windowAnswers(nowMs);
  const rows = answers['runs.list']?.rows ?? [];
  const elsewhere = rows.filter((row) => row.deviceName === 'Work-PC');
  const weekAgo = new Date(nowMs);
  weekAgo.setHours(0, 0, 0, 0);
  weekAgo.setDate(weekAgo.getDate() - 6);
  const ofBoth = elsewhere.filter((row) => row.startedAtMs >= weekAgo.getTime());
  expect(ofBoth.length).toBeGreaterThan(0);
  const complaints = await openWindow(page, answers);
  await goTo(page, '/runs');
  const shown = page.locator('#runs-shown');

  await chooseByKeys(page, 'Device', 1);
  await expect(shown).toContainText(`Shows ${elsewhere.length} of ${rows.length} runs.`);
  await chooseByKeys(page, 'Started', 2);
  await expect(shown).toContainText(ofBoth.length === rows.length ? 'runs' : `Shows ${ofBoth.length} of`);
  await expect(page.getByRole('button', { name: 'Started: Last 7 days. Remove this filter' })).toBeVisible();
  await recordScreen(page, 'runs-device-and-time');

  await page.getByRole('button', { name: 'Started: Last 7 days. Remove this filter' }).press('Enter');
  await chooseByKeys(page, 'Started', 4);
  const dialog = page.getByRole('dialog', { name: 'Runs that started between two days' });
  await expect(dialog.getByLabel('First day')).toBeFocused();
  await dialog.getByLabel('First day').fill('2020-02-03');
  await dialog.getByLabel('Last day').fill('2020-02-01');
  await expect(dialog.getByText('The last day is before the first one.')).toBeVisible();
  await recordScreen(page, 'runs-between');
  await dialog.getByLabel('Last day').fill('2020-02-29');
  await dialog.getByLabel('Last day').press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(
    page.getByRole('button', { name: 'Started: 3 Feb 2020 – 29 Feb 2020. Remove this filter' }),
  ).toBeVisible();
  await expect(page.getByText('No run fits')).toBeVisible();
  await page.getByRole('button', { name: 'Device: Work-PC. Remove this filter' }).click();
  await page.getByRole('button', { name: 'Show all' }).first().click();
  await expect(shown).toContainText(`${rows.length} runs`);
  expect(complaints).toEqual([]);
});

test('a device and a time are kept with a view, and asked for again after the window was closed', async ({ page }) => {
  test.setTimeout(120_000);
  const receiver = await Receiver.start();
  const host = await HeadlessProcess.start(await seedProfile(receiver));
  await page.goto(host.link);
  await skipOnboarding(page);
  await openPage(page, 'Runs');
  // One device: there is nothing to choose.
  await expect(page.locator('.runs-filters').getByRole('button', { name: 'Device', exact: true })).toHaveCount(0);
  const all = await page.locator('#runs-shown').textContent();
  await chooseByKeys(page, 'Started', 0);
  await expect(page.locator('#runs-shown')).toContainText(all ?? '');
  await page.getByRole('button', { name: 'Save this view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Of today');
  await page.keyboard.press('Enter');
  const views = page.getByRole('navigation', { name: 'Saved views' });
  await expect(views.getByRole('button', { name: 'Of today' })).toHaveAttribute('aria-pressed', 'true');
  await page.reload();
  await openPage(page, 'Runs');
  await views.getByRole('button', { name: 'Of today' }).click();
  await expect(page.getByRole('button', { name: 'Started: Today. Remove this filter' })).toBeVisible();
  await page.getByRole('button', { name: 'Started: Today. Remove this filter' }).click();
  await expect(views.getByRole('button', { name: 'Of today' })).toHaveAttribute('aria-pressed', 'false');
  await host.kill('SIGTERM');
  await receiver.close();
});
