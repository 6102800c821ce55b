import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { Receiver } from '../harness/receiver.ts';
import { seedProfile } from '../harness/seeded-profile.ts';

// One person walks through one morning: a page that fails leaves the next ones nowhere to go.
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
});
test.afterAll(async () => {
  await host.kill('SIGTERM');
  await receiver.close();
});

test('the first start teaches and permits nothing', async () => {
  await expect(page.getByRole('heading', { name: 'What is this device called?' })).toBeVisible();
  await recordScreen(page, 'onboarding');
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
  await recordScreen(page, 'recovery');
});

test('needs you: a question with the exact arguments and the hidden character', async () => {
  await page
    .getByRole('link', { name: /Tag release/u })
    .first()
    .click();
  await expect(page.getByText('U+202E').first()).toBeVisible();
  await recordScreen(page, 'needs-you');
});

test('runs: the one that needs a person is found at once', async () => {
  await openPage(page, 'Runs');
  await expect(page.getByRole('row', { name: /Needs you/u }).first()).toBeVisible();
  await recordScreen(page, 'runs');
});

test('run detail: timeline, steps, evidence and why', async () => {
  await page.getByRole('row', { name: /Send 2 payment reminders/u }).click();
  await expect(page.getByRole('tab', { name: /Timeline/u })).toBeVisible();
  await recordScreen(page, 'run-detail');
  for (const tab of ['Steps', 'Evidence', 'Why']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`, 'u') }).click();
    await recordScreen(page, `run-detail-${tab.toLowerCase()}`);
  }
});

test('refusals read as good news', async () => {
  await openPage(page, 'Refusals');
  await expect(page.getByText(/[Nn]ot sent/u).first()).toBeVisible();
  await recordScreen(page, 'refusals');
});

test('right to act names the holder', async () => {
  await openPage(page, 'Right to act');
  await recordScreen(page, 'leases');
});

test('devices: only this one, and the ways to more', async () => {
  await openPage(page, 'Devices');
  await expect(page.getByRole('heading', { name: 'Only this device acts' })).toBeVisible();
  await recordScreen(page, 'devices-alone');
});

test('agents: graph, permission and the dialog that shows everything', async () => {
  await openPage(page, 'Agents');
  await page
    .getByRole('link', { name: /Morning report/u })
    .first()
    .click();
  await recordScreen(page, 'agents');
  await page
    .getByRole('link', { name: /[Pp]ractice/u })
    .first()
    .click();
  await page.getByRole('button', { name: 'Look and permit…' }).first().click();
  await recordScreen(page, 'authorise');
  await page.keyboard.press('Escape');
});

test('settings say where the data is, and whether it is whole', async () => {
  await openPage(page, 'Settings');
  await page.getByRole('button', { name: 'Check the record' }).click();
  await expect(page.getByText('entries and texts are as they were written')).toBeVisible();
  await page.getByRole('button', { name: 'Show the text' }).click();
  const told = page.getByRole('textbox', { name: 'Diagnostics' });
  await expect(told).toHaveValue(/Fencepost diagnostics/u);
  await expect(told).not.toHaveValue(/Morning report|€/u);
  await recordScreen(page, 'settings');
});
