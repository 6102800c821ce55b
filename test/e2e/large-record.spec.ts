import { rmSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HIDDEN } from '../../src/shared/lib/visible-text.ts';
import { buildLargeProfile } from '../fixtures/large-profile/build-large-profile.ts';
import type { LargeProfile } from '../fixtures/large-profile/build-large-profile.ts';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { temporaryFolder } from '../harness/strategies.ts';

const RUNS = 500;
/** More than a screen works through. */
const EVENTS = 6_400;
/** Everything that exists in the page, whatever the record holds. */
const NODES_MAX = 6_000;
/** The longest that the page may stand still on a busy machine, ms; with all of a payload in it, it was ten seconds. */
const STANDSTILL_MS = 2_500;

// A trace would hold the whole payload many times over.
test.use({ trace: 'off' });

let folder: string;
let profile: LargeProfile;
let host: HeadlessProcess;
let page: Page;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  folder = temporaryFolder();
  profile = await buildLargeProfile(folder, { runs: RUNS, events: EVENTS, payloadBytes: 10_000_000 });
  host = await HeadlessProcess.start(folder);
  page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
  await page.goto(host.link);
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});
test.afterAll(async () => {
  await host.kill('SIGTERM');
  await page.close();
  rmSync(folder, { recursive: true, force: true });
});

async function goTo(place: string): Promise<void> {
  await page.goto(`${host.origin}/#${place}`);
}

const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);

test('a payload of 10 MB stops the window, is cut, or its end cannot be reached', async () => {
  await goTo(`/runs/${profile.payloadRunId}/steps`);
  await page.locator('.rd-fold').first().click();
  const cameOut = page.getByRole('region', { name: /^Came out/u });
  await expect(cameOut).toContainText('Only the beginning is shown.');
  await page.evaluate(() => {
    const gaps = { longestMs: 0 };
    Object.assign(window, { gaps });
    let last = performance.now();
    const look = (now: number) => {
      gaps.longestMs = Math.max(gaps.longestMs, now - last);
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await cameOut.getByRole('button', { name: 'Show all of it' }).click();
  await expect(cameOut).not.toContainText('Only the beginning is shown.');
  const text = cameOut.locator('pre');
  await expect(text).toContainText('U+202E');
  await text.focus();
  // How long it is, is reckoned; the last part of the way is known only there.
  await expect(async () => {
    await page.keyboard.press('End');
    await expect(text.getByText('fdp.exe is the last line')).toBeInViewport({ timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
  const longestMs = await page.evaluate(() => (window as unknown as { gaps: { longestMs: number } }).gaps.longestMs);
  expect(longestMs).toBeLessThan(STANDSTILL_MS);
  expect(await nodes()).toBeLessThan(NODES_MAX);
});

test('a run of many thousand entries stops the window, or its newest part passes for the whole', async () => {
  await goTo(`/runs/${profile.longRunId}`);
  await expect(page.getByText(/^1,4\d\d earlier entries are not shown here\./u)).toBeVisible();
  expect(await nodes()).toBeLessThan(NODES_MAX);
  const timeline = page.getByRole('list', { name: 'Timeline' });
  const last = timeline.getByRole('listitem').last();
  await expect(timeline.getByRole('listitem').first()).toHaveAttribute('aria-posinset', '1');
  const count = (await last.getAttribute('aria-setsize')) ?? '';
  await page.locator('.rd-scroll').evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await expect(last).toHaveAttribute('aria-posinset', count);
  await expect(last).toContainText('Accepted by the server');

  await page.getByRole('tab', { name: 'Evidence 6,4' }).click();
  await expect(page.getByText(/^5,4\d\d earlier entries are not shown here\./u)).toBeVisible();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await expect(page.getByText(/^6\d\d earlier steps are not shown here\./u)).toBeVisible();
  await page.getByRole('tab', { name: 'Why' }).click();
  await expect(page.getByText(/^6\d\d earlier decisions are not shown here\./u)).toBeVisible();
});

test('a row of a long list that a link names is not there, or is not in view', async () => {
  await goTo(`/runs/${profile.longRunId}/evidence`);
  const rows = page.getByRole('list', { name: 'Rows of the record' });
  for (let press = 0; press < 60; press += 1) await page.keyboard.press('j');
  const chosen = rows.locator('[aria-current="true"]');
  await expect(chosen).toBeInViewport();
  const seq = new URL(page.url()).hash.split('/').at(-1) ?? '';
  await page.reload();
  await expect(chosen).toContainText(seq);
  await expect(chosen).toBeInViewport();
});

for (const [name, place] of [
  ['the runs list', () => '/runs'],
  ['a run', () => `/runs/${profile.awkwardRunId}`],
  ['its graph', () => `/runs/${profile.awkwardRunId}/graph`],
  ['its steps', () => `/runs/${profile.awkwardRunId}/steps`],
  ['its evidence', () => `/runs/${profile.awkwardRunId}/evidence`],
  ['its reasons', () => `/runs/${profile.awkwardRunId}/why`],
  ['refusals', () => '/refusals'],
  ['agents', () => '/agents'],
  ['the right to act', () => '/leases'],
  ['activity', () => '/activity'],
] as const) {
  test(`text without width, or that turns around, hides on the page of ${name} what is so`, async () => {
    await goTo(place());
    // What is folded away is looked at as well.
    if (place().endsWith('/steps')) await page.locator('.rd-fold').first().click();
    if (place() === '/refusals') await page.getByRole('button', { name: 'Details' }).first().click();
    await expect(page.locator('.page .esc').first()).toBeVisible();
    expect(await hiddenOn(page)).toEqual([]);
  });
}

/** What is on the page with characters that nobody sees: texts, and what is read out or shown in a tip. */
async function hiddenOn(where: Page): Promise<string[]> {
  return await where.evaluate(
    ({ source, flags }) => {
      const found: string[] = [];
      const look = (text: string | null, at: string) => {
        if (text !== null && new RegExp(source, flags).test(text)) found.push(`${at}: ${JSON.stringify(text)}`);
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() !== null) look(walker.currentNode.textContent, 'text');
      for (const element of document.querySelectorAll('*'))
        for (const name of ['title', 'aria-label', 'aria-description', 'alt', 'placeholder'])
          look(element.getAttribute(name), `${name} of ${element.tagName}.${element.className}`);
      return found;
    },
    { source: HIDDEN.source, flags: HIDDEN.flags },
  );
}
