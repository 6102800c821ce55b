import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { expectAccessible, openPage, skipOnboarding } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { seedProfile } from '../harness/seeded-profile.ts';

/** `npm run screenshots` writes into the documentation; a test run into its results. */
const folder = process.env['FENCEPOST_SCREENSHOTS'] ?? path.join('test-results', 'screenshots');

/** One picture for each theme, and axe on both. */
async function record(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) });
  }
}

// One person walks through one morning: a page that fails leaves the next ones nowhere to go.
test.describe.configure({ mode: 'serial' });

let receiver: Receiver;
let host: HeadlessProcess;
let page: Page;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  mkdirSync(folder, { recursive: true });
  receiver = await Receiver.start();
  host = await HeadlessProcess.start(await seedProfile(receiver));
  page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
  await page.goto(host.link);
});
test.afterAll(async () => {
  await host.kill('SIGTERM');
  await receiver.close();
});

test('the first start teaches and permits nothing', async () => {
  await expect(page.getByRole('heading', { name: 'What is this device called?' })).toBeVisible();
  await record(page, 'onboarding');
  await skipOnboarding(page);
});

test('needs you: the unclear payment with its whole evidence', async () => {
  await openPage(page, 'Needs you');
  await page
    .getByRole('link', { name: /Pay €1,240.00/u })
    .first()
    .click();
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
  await record(page, 'recovery');
});

test('needs you: a question with the exact arguments and the hidden character', async () => {
  await page
    .getByRole('link', { name: /Tag release/u })
    .first()
    .click();
  await expect(page.getByText('U+202E').first()).toBeVisible();
  await record(page, 'needs-you');
});

test('runs: the one that needs a person is found at once', async () => {
  await openPage(page, 'Runs');
  await expect(page.getByRole('row', { name: /Needs you/u }).first()).toBeVisible();
  await record(page, 'runs');
});

test('run detail: timeline, steps, evidence and why', async () => {
  await page.getByRole('row', { name: /Send 2 payment reminders/u }).click();
  await expect(page.getByRole('tab', { name: /Timeline/u })).toBeVisible();
  await record(page, 'run-detail');
  for (const tab of ['Steps', 'Evidence', 'Why']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`, 'u') }).click();
    await record(page, `run-detail-${tab.toLowerCase()}`);
  }
});

test('refusals read as good news', async () => {
  await openPage(page, 'Refusals');
  await expect(page.getByText(/[Nn]ot sent/u).first()).toBeVisible();
  await record(page, 'refusals');
});

test('right to act names the holder', async () => {
  await openPage(page, 'Right to act');
  await record(page, 'leases');
});

test('agents: graph, permission and the dialog that shows everything', async () => {
  await openPage(page, 'Agents');
  await page
    .getByRole('link', { name: /Morning report/u })
    .first()
    .click();
  await record(page, 'agents');
  await page
    .getByRole('link', { name: /[Pp]ractice/u })
    .first()
    .click();
  await page.getByRole('button', { name: 'Look and permit…' }).first().click();
  await record(page, 'authorise');
  await page.keyboard.press('Escape');
});

test('settings say where the data is', async () => {
  await openPage(page, 'Settings');
  await record(page, 'settings');
});
