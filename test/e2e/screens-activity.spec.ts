import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { seedProfile } from '../harness/seeded-profile.ts';

test.describe.configure({ mode: 'serial' });

let receiver: Receiver;
let host: HeadlessProcess;
let page: Page;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  receiver = await Receiver.start();
  host = await HeadlessProcess.start(await seedProfile(receiver));
  page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
  await page.goto(host.link);
  await skipOnboarding(page);
});
test.afterAll(async () => {
  await host.kill('SIGTERM');
  await receiver.close();
});

test('activity: who did what, where and when', async () => {
  await openPage(page, 'Activity');
  await expect(page.getByRole('row', { name: /Morning report/u }).first()).toBeVisible();
  await recordScreen(page, 'activity');
});

test('activity: the facts of one entry', async () => {
  await page.getByRole('button', { name: 'Decisions', exact: true }).click();
  await page
    .getByRole('row', { name: /Unclear/u })
    .first()
    .click();
  await expect(page.getByText('As it was written')).toBeVisible();
  await recordScreen(page, 'activity-facts');
});

test('activity: taking a copy away, and how to check it', async () => {
  await page.getByRole('button', { name: 'Export…' }).click();
  await recordScreen(page, 'activity-export');
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click();
  await expect(page.getByText('The record is exported.')).toBeVisible();
  await recordScreen(page, 'activity-exported');
});
