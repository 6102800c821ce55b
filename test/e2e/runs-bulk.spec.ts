import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { seedProfile } from '../harness/seeded-profile.ts';

// One person tidies up one list: each step goes on from what the one before left.
test.describe.configure({ mode: 'serial' });

let receiver: Receiver;
let host: HeadlessProcess;
let page: Page;
const bar = () => page.getByRole('region', { name: 'Chosen runs' });
const chosen = () => page.locator('.runs-body.chosen');

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  receiver = await Receiver.start();
  host = await HeadlessProcess.start(await seedProfile(receiver));
  page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
  await page.goto(host.link);
  await skipOnboarding(page);
  await openPage(page, 'Runs');
});
test.afterAll(async () => {
  await host.kill('SIGTERM');
  await receiver.close();
});

test('rows are chosen by keyboard alone, and let go again', async () => {
  const grid = page.getByRole('grid', { name: 'Runs' });
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(bar()).toContainText('1 chosen');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(bar()).toContainText('3 chosen');
  await page.keyboard.press('Shift+ArrowUp');
  await expect(bar()).toContainText('2 chosen');
  await expect(grid.locator('[aria-selected="true"]')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(bar()).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+a');
  await expect(bar()).toContainText('11 chosen');
  await recordScreen(page, 'runs-chosen');
  await page.keyboard.press('Escape');
});

test('rows are chosen with the mouse, and a filter lets go of what it may hide', async () => {
  const rows = page.locator('.runs-body');
  await rows.nth(1).locator('.runs-pick').click();
  await rows.nth(4).click({ modifiers: ['Shift'] });
  await expect(chosen()).toHaveCount(4);
  await rows.nth(2).click({ modifiers: ['ControlOrMeta'] });
  await expect(chosen()).toHaveCount(3);
  await bar().getByRole('button', { name: 'Choose all 11 that match' }).click();
  await expect(chosen()).toHaveCount(11);
  await page.getByRole('button', { name: /^Done/u }).click();
  await expect(bar()).toHaveCount(0);
  await page.getByRole('button', { name: 'All', exact: true }).click();
});

test('filters are kept under a name, renamed and removed, and outlast the window', async () => {
  await page.getByRole('searchbox', { name: 'Search runs' }).fill('Weekly');
  await page.getByRole('button', { name: /^Done/u }).click();
  await page.getByRole('button', { name: 'Save this view…' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Reports that are out');
  await recordScreen(page, 'runs-save-view');
  await page.keyboard.press('Enter');
  const views = page.getByRole('navigation', { name: 'Saved views' });
  await expect(views.getByRole('button', { name: 'Reports that are out' })).toHaveAttribute('aria-pressed', 'true');
  await recordScreen(page, 'runs-views');
  await views.getByRole('button', { name: /^All/u }).click();
  await expect(page.getByRole('searchbox', { name: 'Search runs' })).toHaveValue('');
  await page.reload();
  await openPage(page, 'Runs');
  await views.getByRole('button', { name: 'Reports that are out' }).click();
  await expect(page.getByRole('searchbox', { name: 'Search runs' })).toHaveValue('Weekly');
  await page.getByRole('button', { name: /^Rename/u }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Reports');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(views.getByRole('button', { name: 'Reports', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: /^Remove Reports/u }).click();
  await expect(views.getByRole('button', { name: 'Reports' })).toHaveCount(0);
  // Its filters stay in use until somebody changes them.
  await expect(page.getByRole('searchbox', { name: 'Search runs' })).toHaveValue('Weekly');
  await page.getByRole('button', { name: 'Show all' }).click();
});

test('the chosen runs are exported as one file that holds each of them once', async () => {
  await page.getByRole('button', { name: /^Done/u }).click();
  await page.getByRole('grid', { name: 'Runs' }).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await expect(bar()).toContainText('chosen');
  const figure = await chosen().count();
  const download = page.waitForEvent('download');
  await bar().getByRole('button', { name: 'Export' }).click();
  const file = await (await download).path();
  const runs = JSON.parse(await readFile(file, 'utf8')) as { run: { run_id: string; ending: string } }[];
  expect(new Set(runs.map((each) => each.run.run_id)).size).toBe(figure);
  expect(runs.every((each) => each.run.ending === 'done')).toBe(true);
  await expect(bar()).toContainText(`Saved ${figure} runs`);
  await bar().getByRole('button', { name: 'Choose none' }).click();
  await expect(bar()).toHaveCount(0);
  await page.getByRole('button', { name: 'All', exact: true }).click();
});

test('stopping says exactly how many and what that means, decides nothing when closed, and counts what came of it', async () => {
  await page.getByRole('grid', { name: 'Runs' }).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await expect(bar()).toContainText('11 chosen');
  const open = page.locator('.runs-body', { hasText: /Needs you|Waiting|Refused/u });
  const figure = await open.count();
  expect(figure).toBeGreaterThan(2);
  await bar().getByRole('button', { name: 'Stop…' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText(`Stop ${figure} runs?`);
  await expect(question).toContainText('1 run has an unclear step');
  await expect(question).toContainText(`${11 - figure} runs have ended already`);
  await expect(page.getByRole('button', { name: 'Keep them running' })).toBeFocused();
  await recordScreen(page, 'runs-stop');
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(open).toHaveCount(figure);
  await expect(bar()).toContainText('11 chosen');
  await bar().getByRole('button', { name: 'Stop…' }).click();
  await page.getByRole('button', { name: `Stop ${figure} runs` }).click();
  await expect(question).toContainText('What came of it');
  await expect(question).toContainText(`The stop holds for ${figure} runs`);
  await recordScreen(page, 'runs-stopped');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(bar()).toContainText(`${11 - figure} chosen`);
  // The unclear one still asks: stopping has not decided about it.
  await expect(page.locator('.runs-body', { hasText: 'unclear' })).toHaveCount(1);
  await expect(page.locator('.runs-body', { hasText: 'Stopped' })).toHaveCount(figure - 1);
});
