import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { windowAnswers } from '../harness/window-fixture.ts';
import { addRuns, goTo, openWindow } from '../harness/window-page.ts';

const ROUNDS = 5;
const PLACES = ['/runs', '/needs-you', '/refusals', '/leases', '/devices', '/activity', '/schedules', '/agents'];

/** Keeps everything that a live region of the page says from now on. */
async function listen(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const said: string[] = [];
    (window as unknown as { said: string[] }).said = said;
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const at = target instanceof Element ? target : target.parentElement;
        const region = at?.closest('output, [role="status"], [role="log"], [role="alert"], [aria-live="polite"]');
        const text = region?.textContent ?? '';
        if (text !== '' && said.at(-1) !== text) said.push(text);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (window as unknown as { said: readonly string[] }).said);
}

test.beforeEach(async ({ page }) => {
  await openWindow(page, windowAnswers(Date.now()));
});

test('whoever listens hears every row that comes in, or never how many there are', async ({ page }) => {
  await goTo(page, '/runs');
  const counts = page.locator('output').filter({ hasText: / runs, .* need you\.$/u });
  await expect(counts).toHaveCount(1);
  const before = await counts.textContent();
  const said = await listen(page);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await addRuns(page, [`Newcomer ${round}`]);
    await expect(page.getByRole('row', { name: `Newcomer ${round}` })).toBeVisible();
  }
  await expect(counts).not.toHaveText(before ?? '');
  expect((await said()).filter((text) => / runs, /u.test(text))).toHaveLength(1);
});

test('a page that nothing happens on interrupts whoever listens', async ({ page }) => {
  for (const place of PLACES) {
    await goTo(page, place);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('output, [role="status"]').first(), place).toBeAttached();
    await expect(page.locator('[role="alert"], [aria-live="assertive"]'), place).toHaveCount(0);
  }
});
