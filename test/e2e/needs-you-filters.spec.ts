import { expect, test } from '@playwright/test';
import type { NeedsYouItem } from '../../src/shared/contract/decision-views.ts';
import { expectAccessible } from '../harness/journey.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, goTo, openWindow } from '../harness/window-page.ts';
import { needsWith, recoveryView, unclearItem } from '../harness/window-recovery.ts';

test.use({ viewport: { width: 1280, height: 820 } });

const item = (number: number, change: Partial<NeedsYouItem> = {}): NeedsYouItem => ({
  ...unclearItem(number),
  ...change,
});
const report = item(142);
const payer = item(143, { title: 'Pay the invoice', agentName: 'Bill payer', deviceName: 'This Mac' });
const site = item(144, { title: 'Tag the release', agentName: 'Site keeper', deviceName: 'This Mac' });
let complaints: string[];

test.beforeEach(async ({ page }) => {
  complaints = await openWindow(page, {
    ...windowAnswers(Date.now()),
    'needs.list': needsWith({ unclear: [report, payer], approvals: [{ ...site, kind: 'approve' }] }),
    'recovery.get': recoveryView(Date.now()),
  });
  await goTo(page, '/needs');
});
test.afterEach(() => expect(complaints).toEqual([]));

test('a filter needs a pointer, hides how much there is, or stays over a queue that it has emptied', async ({
  page,
}) => {
  const rows = page.locator('.nq-row');
  await expect(rows).toHaveCount(3);
  await page.getByRole('button', { name: 'Any device' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitemcheckbox', { name: 'Work-PC' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Device Work-PC' })).toBeFocused();
  await expect(rows).toHaveCount(1);
  await expect(page.locator('header.top')).toContainText('1 of 3 items');
  await expectAccessible(page, 'a filtered queue');
  // j goes where somebody sees it go.
  await page.keyboard.press('j');
  await expect(rows).toBeFocused();
  await page.getByRole('button', { name: 'Any agent' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Bill payer' }).click();
  await expect(page.getByText('Nothing of this agent on this device needs you.')).toBeVisible();
  await expect(page.getByText('Nothing needs you.')).toHaveCount(0);
  await expect(page.locator('header.top')).toContainText('0 of 3 items');
  await page.getByRole('button', { name: 'Show all' }).press('Enter');
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toBeFocused();
});

test('Escape in a filter closes what is open beside it', async ({ page }) => {
  await page.getByRole('link', { name: /Email “Weekly numbers”/u }).click();
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
  await page.getByRole('button', { name: 'Any agent' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
});

test('a filter is offered where there is one agent and one device, or outlives what it was for', async ({ page }) => {
  await page.getByRole('button', { name: 'Any agent' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Site keeper' }).click();
  await expect(page.locator('.nq-row')).toHaveCount(1);
  // Its question was answered on another device.
  await answerWith(page, { 'needs.list': needsWith({ unclear: [report, item(145)] }) });
  await expect(page.locator('.nq-row')).toHaveCount(2);
  await expect(page.locator('header.top')).toContainText('2 items');
  await expect(page.locator('header.top .chip')).toHaveCount(0);
});
