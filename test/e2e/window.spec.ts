import { expect, test } from '@playwright/test';
import { expectAccessible } from '../harness/journey.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { addRuns, goTo, openWindow } from '../harness/window-page.ts';

const MANY = 1_500;
/** One after the other, each as soon as the last one is there: faster than five a second. */
const REFUSALS = 25;
let complaints: string[];

test.use({ viewport: { width: 1280, height: 820 } });
test.beforeEach(async ({ page }) => {
  complaints = await openWindow(page, windowAnswers(Date.now(), MANY));
});
test.afterEach(() => {
  // A style or script that the policy turns away would be told here.
  expect(complaints).toEqual([]);
});

test.describe('the window with runs in all eleven states', () => {
  test('a state is never told by colour alone', async ({ page }) => {
    await goTo(page, '/runs');
    for (const word of [
      'unclear',
      'approve',
      'here',
      'on Work-PC',
      'Waiting',
      'Refused',
      'Done',
      'nothing sent',
      'error answered',
      'Stopped',
      'Missed',
    ]) {
      await expect(page.getByRole('row', { name: word }).first()).toBeVisible();
    }
  });

  test('only visible rows exist, and the end of a long list is reachable', async ({ page }) => {
    await goTo(page, '/runs');
    const grid = page.getByRole('grid');
    await expect(grid).toHaveAttribute('aria-rowcount', String(MANY + 1));
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    await grid.focus();
    await page.keyboard.press('End');
    await expect(page.locator(`[aria-rowindex="${MANY + 1}"]`)).toBeVisible();
  });

  test('rows that come in do not move the one under the eye, and are offered', async ({ page }) => {
    await goTo(page, '/runs');
    for (let press = 0; press < 9; press++) await page.keyboard.press('j');
    const row = page.locator('[aria-selected="true"]');
    await expect(row).toContainText('Sort 212 photos');
    const before = await row.boundingBox();
    await addRuns(page, ['Newcomer A', 'Newcomer B']);
    await expect(page.getByRole('button', { name: '2 new above' })).toBeVisible();
    expect(await row.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: '2 new above' }).click();
    await expect(page.getByRole('row', { name: 'Newcomer A' })).toBeVisible();
  });

  test('Enter opens, Esc goes back, and the row is still chosen', async ({ page }) => {
    await goTo(page, '/runs');
    await expect(page.getByRole('row', { name: 'Weekly numbers' })).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('tab', { name: 'Timeline' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('[aria-selected="true"]')).toContainText('Weekly numbers');
    await expect(page.getByRole('grid')).toBeFocused();
  });
});

test('the list jumps under the cursor while refusals stream in, three hundred a minute', async ({ page }) => {
  await goTo(page, '/runs');
  const box = await page.locator('.runs-scroll').boundingBox();
  if (box === null) throw new Error('The list is on the screen.');
  const at = { x: box.x + 300, y: box.y + 200 };
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(0, 1_000);
  const underCursor = () =>
    page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest('[role="row"]')?.id ?? '', at);
  await expect.poll(() => page.locator('.runs-scroll').evaluate((element) => element.scrollTop)).toBe(1_000);
  const before = await underCursor();
  expect(before).not.toBe('');
  const moved = page.evaluate(
    ({ x, y, id, rounds }) => {
      // Looked at in every frame: a row that jumps away and back again is a jump.
      return new Promise<string[]>((resolve) => {
        const seen = new Set<string>();
        const look = () => {
          seen.add(document.elementFromPoint(x, y)?.closest('[role="row"]')?.id ?? '');
          const pill = document.querySelector('.runs-new')?.textContent ?? '';
          if (pill.startsWith(`${rounds} new`)) resolve([...seen].filter((each) => each !== id));
          else requestAnimationFrame(look);
        };
        look();
      });
    },
    { ...at, id: before, rounds: REFUSALS },
  );
  for (let refusal = 1; refusal <= REFUSALS; refusal += 1) {
    await addRuns(page, [`Refused ${refusal}`]);
    await expect(page.getByRole('button', { name: `${refusal} new above` })).toBeVisible();
  }
  expect(await moved).toEqual([]);
  expect(await underCursor()).toBe(before);
});

test.describe('the window with one run', () => {
  test('asking to stop decides nothing until the button is pressed, and gives the focus back', async ({ page }) => {
    await goTo(page, '/runs/run-1490');
    const stop = page.getByRole('button', { name: 'Stop…' });
    await stop.click();
    await expect(page.getByRole('button', { name: 'Keep it running' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    await expect(stop).toBeFocused();
  });

  test('a link to a decision opens its reasons', async ({ page }) => {
    await goTo(page, '/runs/run-1490/timeline/110');
    await expect(page.getByRole('complementary', { name: 'Why' })).toContainText('Was it sent before?');
  });

  test('jumping by name works from anywhere', async ({ page }) => {
    await goTo(page, '/settings');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('refus');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Refusals' })).toBeVisible();
  });
});

test.describe('the window at 200 % zoom', () => {
  for (const place of [
    '/runs',
    '/runs/run-1490/timeline/110',
    '/runs/run-1490/steps',
    '/refusals',
    '/leases',
    '/devices',
    '/activity',
    '/activity/40',
    '/settings',
    '/settings/right-to-act',
  ]) {
    test(`${place} loses nothing at 1024 px and is accessible`, async ({ page }) => {
      await page.setViewportSize({ width: 512, height: 400 });
      await goTo(page, place);
      await expect(page.getByRole('main', { includeHidden: true })).not.toBeEmpty();
      expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
      await expectAccessible(page, place);
    });
  }
});
