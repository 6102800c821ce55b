import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { expectAccessible, skipOnboarding } from '../harness/journey.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { Receiver } from '../harness/receiver.ts';
import { seedProfile } from '../harness/seeded-profile.ts';

// One host with one morning's record; each test begins on a screen of its own.
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

const palette = () => page.getByRole('dialog', { name: 'Commands' });
const chosen = () => page.locator('[cmdk-item][data-selected="true"]');

async function accessibleInBothThemes(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectAccessible(page, `${name} ${colorScheme}`);
  }
}

test('a person without a mouse gets anywhere, and back to where the focus was', async () => {
  await page.keyboard.press('9');
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  const start = page.getByRole('button', { name: /Search or jump/u });
  await start.focus();
  await page.keyboard.press('Control+k');
  await expect(palette()).toBeVisible();
  await expect(page.getByRole('combobox')).toBeFocused();
  await recordScreen(page, 'palette');
  await page.keyboard.press('Escape');
  await expect(palette()).toHaveCount(0);
  await expect(start).toBeFocused();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('refus');
  await expect(chosen()).toContainText('Refusals');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Refusals', level: 1 })).toBeVisible();
  // What was opened is offered first the next time.
  await page.keyboard.press('Control+k');
  await expect(chosen()).toContainText('Refusals');
  await page.keyboard.press('Control+k');
  await expect(palette()).toHaveCount(0);
});

test('an open question is opened, not answered, and stopping everything is a question first', async () => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pay 1,240');
  await expect(chosen()).toContainText('Pay €1,240.00');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('stop everything');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Pause or stop all agents?' });
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(page.getByText('Everything is paused')).toHaveCount(0);
});

test('what needs a person is found by the name of its agent or run, and opened without a mouse', async () => {
  await page.keyboard.press('1');
  const first = page.getByRole('region', { name: 'Items that need a person' }).getByRole('link').first();
  await expect(first).toBeVisible();
  // As the queue itself says: `Bill payer, run 0007`.
  const [, agent, run] = /^(.+), run (\d+)$/mu.exec(await first.innerText()) ?? [];
  for (const typed of [agent, run]) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(typed ?? 'nothing was read');
    await expect(page.getByRole('group').first()).toHaveAccessibleName('Waiting for you');
    await expect(chosen()).toContainText(`${agent} · ${run}`);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/#\/needs\/(unclear|approve)\//u);
    await page.keyboard.press('Escape');
    await page.keyboard.press('2');
  }
});

test('the record is searched from the palette: whom, which file, and what became of it', async () => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('127.0.0.1');
  const group = page.getByRole('group', { name: 'Whom and what' });
  await expect(group.getByRole('option').first()).toBeVisible();
  await expect(group.locator('mark').first()).toHaveText('127.0.0.1');
  await recordScreen(page, 'palette-search');
  // All of it is one step away, on a screen of its own.
  await page.keyboard.press('End');
  await expect(chosen()).toContainText('Everything about');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Search', level: 1 })).toBeVisible();
  await expect(page.getByRole('searchbox')).toHaveValue('127.0.0.1');
  await expect(page.getByRole('region', { name: 'Whom and what' }).getByRole('link').first()).toBeVisible();
  await recordScreen(page, 'search');
});

test('the search screen is walked through with j, k and Enter', async () => {
  await page.getByRole('searchbox').fill('send');
  const first = page.locator('[data-hit]').first();
  await expect(first.locator('mark').first()).toHaveText(/send/iu);
  await page.getByRole('main').focus();
  await page.keyboard.press('j');
  await expect(first).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(first).toBeFocused();
  await accessibleInBothThemes('search results');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: /Timeline/u })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('searchbox')).toHaveValue('send');
  await page.getByRole('searchbox').fill('nothing like this anywhere');
  await expect(page.getByText('Nothing was found.')).toBeVisible();
});

test('text of a stranger is text where it is found: no markup, nothing hidden, nothing turned around', async () => {
  await page.getByRole('searchbox').fill('tag release');
  const hit = page.locator('[data-hit]').first();
  await expect(hit.locator('mark').first()).toBeVisible();
  // Found although a hidden character stands in the name, and it is written out there.
  await page.getByRole('searchbox').fill('release');
  await expect(page.locator('[data-hit] bdi').first()).toBeVisible();
  expect(await page.locator('[data-hit] script, [data-hit] img').count()).toBe(0);
});

test('Runs shows what its search finds inside runs', async () => {
  await page.getByRole('main').focus();
  await page.keyboard.press('2');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search runs' })).toBeFocused();
  await page.keyboard.type('127.0.0');
  const inside = page.getByRole('region', { name: 'Found inside runs' });
  await expect(inside.getByRole('link').first()).toBeVisible();
  await recordScreen(page, 'runs-search');
  // Letters that are typed are no shortcuts.
  await expect(page.getByRole('heading', { name: 'Runs', level: 1 })).toBeVisible();
  await inside.getByRole('button', { name: 'Show everything that was found' }).press('Enter');
  await expect(page.getByRole('searchbox')).toHaveValue('127.0.0');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
});

test('every key is on one sheet, which a key opens and closes', async () => {
  await page.goto(`${new URL(page.url()).origin}/#/agents`);
  await page.getByRole('main').focus();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await expect(sheet).toBeVisible();
  await expect(sheet.getByText('Search or jump')).toBeVisible();
  await recordScreen(page, 'keys');
  // It has no letters to type, and still none of them does anything below it.
  await page.keyboard.press('2');
  await expect(page.getByRole('heading', { name: 'Runs', level: 1 })).toHaveCount(0);
  await page.keyboard.press('Control+/');
  await expect(sheet).toHaveCount(0);
});

test('an address that opens a layer leaves the screen below it alone; a dead link says so', async () => {
  await page.keyboard.press('2');
  await page.getByRole('searchbox', { name: 'Search runs' }).fill('reminders');
  await page.evaluate(() => {
    location.hash = '#/open/palette';
  });
  await expect(palette()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('searchbox', { name: 'Search runs' })).toHaveValue('reminders');
  expect(new URL(page.url()).hash).toBe('#/runs');
  await page.evaluate(() => {
    location.hash = '#/no-link';
  });
  await expect(page.getByText('That link leads nowhere in Fencepost.')).toBeVisible();
  await expectAccessible(page, 'a dead link');
});
