import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { verifyLedger } from '../../src/main/cli/verify-ledger.ts';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { expectAccessible, openPage, skipOnboarding } from '../harness/journey.ts';
import { Receiver } from '../harness/receiver.ts';
import { seedProfile } from '../harness/seeded-profile.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, goTo, openWindow } from '../harness/window-page.ts';

// One person looks through one morning: a page that fails leaves the next ones nowhere to go.
test.describe.configure({ mode: 'serial' });
test.use({ viewport: { width: 1280, height: 820 } });

let receiver: Receiver;
let host: HeadlessProcess;
let page: Page;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  receiver = await Receiver.start();
  host = await HeadlessProcess.start(await seedProfile(receiver));
  page = await browser.newPage({ viewport: { width: 1280, height: 820 }, acceptDownloads: true });
  await page.goto(host.link);
  await skipOnboarding(page);
});
test.afterAll(async () => {
  await host.kill('SIGTERM');
  await receiver.close();
});

const grid = () => page.getByRole('grid', { name: 'Entries' });
const facts = () => page.getByRole('complementary', { name: 'Facts of this entry' });

test('by keyboard alone: through the entries, into the facts of one, on to its run and back', async () => {
  await page.keyboard.press('8');
  await expect(page.getByRole('heading', { name: 'Activity' })).toBeVisible();
  await expect(grid().getByRole('row').nth(1)).toBeVisible();
  await expectAccessible(page, 'activity');
  // j and k move from anywhere; the arrows once the list has the focus.
  await page.keyboard.press('j');
  await grid().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(grid().getByRole('row', { selected: true })).toHaveCount(1);
  const chosen = await grid().getAttribute('aria-activedescendant');
  await page.keyboard.press('Enter');
  await expect(facts()).toContainText('As it was written');
  await expectAccessible(page, 'activity facts');
  const first = await facts().getByRole('heading', { level: 2 }).textContent();
  // One entry at a time: the facts follow the selection.
  await page.keyboard.press('ArrowDown');
  await expect(facts().getByRole('heading', { level: 2 })).not.toHaveText(first ?? '');
  await page.keyboard.press('ArrowUp');
  await expect(facts().getByRole('heading', { level: 2 })).toHaveText(first ?? '');
  await page.keyboard.press('Escape');
  await expect(facts()).toHaveCount(0);
  await expect(grid()).toBeFocused();
  expect(await grid().getAttribute('aria-activedescendant')).toBe(chosen);
  // Earlier entries come as they are needed: the end of those that are there is not the end yet.
  await expect(async () => {
    await page.keyboard.press('End');
    await expect(page.getByText('The record begins here.')).toBeInViewport({ timeout: 500 });
  }).toPass();
});

test('filters say what is shown, and an entry leads to its run', async () => {
  await page.getByRole('button', { name: 'Permissions', exact: true }).click();
  await expect(grid().getByRole('row').nth(1)).toContainText('permission');
  await page.getByRole('button', { name: 'Permissions', exact: true }).click();
  await page.getByRole('button', { name: 'Effects', exact: true }).click();
  await page.getByRole('button', { name: 'Agent', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Bill payer' }).click();
  const rows = grid().getByRole('row');
  await expect(rows.nth(1)).toContainText('Bill payer');
  for (const words of await rows.allTextContents()) expect(words).toMatch(/Bill payer|Time/u);
  await rows.nth(1).click();
  await facts()
    .getByRole('link', { name: /Open run/u })
    .click();
  await expect(page.getByRole('tab', { name: /Evidence/u, selected: true })).toBeVisible();
  await page.goBack();
  await expect(grid()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Devices', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No entry fits' })).toBeVisible();
  await expectAccessible(page, 'activity without a hit');
  await page.getByRole('button', { name: 'Show all' }).first().click();
});

test('what is exported passes the check, signed by this device', async () => {
  await page.getByRole('button', { name: 'Export…' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessible(page, 'export');
  const folder = temporaryFolder();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  const file = path.join(folder, download.suggestedFilename());
  await download.saveAs(file);
  await expect(page.getByText('The record is exported.')).toBeVisible();
  await expectAccessible(page, 'export done');
  const command = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
  const [, deviceId = '', publicKey = ''] = /--key (\S+)=(\S+)$/u.exec(command) ?? [];
  expect(command).toContain(download.suggestedFilename());
  const report = await verifyLedger(file, new Map([[deviceId, publicKey]]));
  expect(report.findings).toEqual([]);
  expect(report).toMatchObject({ isSound: true, fileSignature: 'pinned', ofDevice: deviceId });
  expect(report.journals[0]?.entries).toBeGreaterThan(100);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Export…' })).toBeFocused();
  rmSync(folder, { recursive: true, force: true });
});

test('new entries wait at the top, and nothing moves under the cursor', async () => {
  await grid().hover();
  const before = await grid().getByRole('row').nth(1).textContent();
  await openPage(page, 'Agents');
  await page
    .getByRole('link', { name: /Morning report/u })
    .first()
    .click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('button', { name: 'Run it now' }).click();
  await expect(page.getByText(/^Done/u).first()).toBeVisible({ timeout: 20_000 });
  await openPage(page, 'Activity');
  await expect(page.getByRole('button', { name: /^\d+\+? new$/u })).toBeVisible();
  expect(await grid().getByRole('row').nth(1).textContent()).toBe(before);
  await page.getByRole('button', { name: /^\d+\+? new$/u }).click();
  await expect(grid().getByRole('row').nth(1)).not.toHaveText(before ?? '');
  await expect(grid()).toBeFocused();
});

test.describe('without a host that answers as it should', () => {
  const entry = {
    seq: 7,
    atMs: Date.now(),
    kind: 'run.ended',
    act: 'runs',
    mark: 'done',
    actor: { kind: 'agent', name: 'Archivist \u202Eexe' },
    sentence: 'Moved 1 file',
    measure: '',
    agentId: 'archivist',
    agentName: 'Archivist \u202Eexe',
    deviceName: 'Attic',
    runId: 'run-1',
    runNumber: 1,
  };
  const view = (change: object) => ({
    ...windowAnswers(Date.now()),
    'activity.list': { sequence: 1, newestSeq: 7, rows: [], before: null, devices: [], ...change },
    'activity.news': { sequence: 1, count: 0, isMore: false },
  });
  const failed = {
    problem: { code: 'store-unsure', message: 'The record is opened again.', wayOut: 'Wait a moment.' },
  };

  test('an empty record teaches, and its first entry comes by itself', async ({ page: alone }) => {
    const complaints = await openWindow(alone, view({ newestSeq: 0 }));
    await goTo(alone, '/activity');
    await expect(alone.getByRole('heading', { name: 'Nothing was written down yet' })).toBeVisible();
    await expectAccessible(alone, 'activity empty');
    const first = { sequence: 2, newestSeq: 7, rows: [entry], before: null, devices: [] };
    await answerWith(alone, { 'activity.list': first, 'activity.news': { sequence: 2, count: 1, isMore: false } });
    await expect(alone.getByRole('row', { name: /Moved 1 file/u })).toContainText('U+202E');
    expect(complaints).toEqual([]);
  });

  test('a record that can’t be read says so, and is read once it can', async ({ page: alone }) => {
    await openWindow(alone, { ...view({}), 'activity.list': failed });
    await goTo(alone, '/activity');
    await expect(alone.getByText('The record can’t be read.')).toBeVisible();
    await expectAccessible(alone, 'activity unread');
    await answerWith(alone, view({ rows: [entry] }));
    await alone.getByRole('button', { name: 'Look again' }).click();
    await expect(alone.getByRole('row', { name: /Moved 1 file/u })).toBeVisible();
  });

  test('earlier entries that can’t be read leave what is there, and the facts say why they are missing', async ({
    page: alone,
  }) => {
    await openWindow(alone, { ...view({ rows: [entry], before: 7 }), 'activity.get': failed });
    await alone.evaluate((problem) => {
      const { answers } = (window as unknown as { fixture: { answers: Record<string, unknown> } }).fixture;
      const list = answers['activity.list'];
      let asked = 0;
      // The first answer is a page, every later one a failure.
      Object.defineProperty(answers, 'activity.list', { get: () => (asked++ === 0 ? list : problem) });
    }, failed);
    await goTo(alone, '/activity');
    await expect(alone.getByText('Earlier entries can’t be read.')).toBeVisible();
    await alone.getByRole('row', { name: /Moved 1 file/u }).click();
    await expect(alone.getByText('This entry can’t be shown.')).toBeVisible();
    await expectAccessible(alone, 'activity broken off');
  });
});
