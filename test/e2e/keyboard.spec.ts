import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { Receiver } from '../harness/receiver.ts';
import { seedProfile } from '../harness/seeded-profile.ts';

/** No page of this app has more stops than this. */
const TAB_LIMIT = 120;

/** Moves the focus with the Tab key alone until it is on an element, as somebody without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < TAB_LIMIT; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The focus never got there.');
}

async function press(page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> {
  await tabTo(page, page.getByRole(role, { name }).first());
  await page.keyboard.press('Enter');
}

test('by keyboard alone: permit an agent, run it, stop a run, and decide an unclear payment', async ({ page }) => {
  test.setTimeout(150_000);
  const receiver = await Receiver.start();
  const host = await HeadlessProcess.start(await seedProfile(receiver));
  receiver.behaviour = () => 'answer';
  await page.goto(host.link);
  await press(page, 'button', 'Skip, I’ll look around myself');

  // Permit and run: the agent that lost its permission gets one for what it asks now, and its run goes on.
  await press(page, 'link', /^Agents/u);
  await press(page, 'link', /Price watch/u);
  await press(page, 'button', 'Look and permit…');
  await expect(page.getByRole('dialog')).toBeVisible();
  await press(page, 'button', 'Permit exactly this');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await press(page, 'button', 'Run now');
  await press(page, 'button', 'Run it now');
  await expect(page.getByText(/^Done/u).first()).toBeVisible({ timeout: 20_000 });

  // Stop: the run that waits for replies.
  await page.keyboard.press('2');
  await expect(page.getByRole('heading', { name: 'Runs' })).toBeVisible();
  await tabTo(page, page.getByRole('searchbox', { name: 'Search runs' }));
  await page.keyboard.type('payment reminders');
  await expect(page.getByRole('row', { name: /payment reminders/u })).toHaveCount(1);
  // The table is one stop; j and k move inside it.
  await tabTo(page, page.getByRole('grid', { name: 'Runs' }));
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await press(page, 'button', 'Stop…');
  await expect(page.getByRole('alertdialog').or(page.getByRole('dialog'))).toBeVisible();
  await press(page, 'button', /^Stop/u);
  await expect(page.getByText(/^Stopped/u).first()).toBeVisible({ timeout: 20_000 });

  // Decide: Escape decides nothing, the radio is chosen by the space bar.
  await page.keyboard.press('1');
  await press(page, 'link', /Pay €1,240.00/u);
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toHaveCount(0);
  await press(page, 'link', /Pay €1,240.00/u);
  await tabTo(page, page.getByRole('radio', { name: /^It was sent/u }));
  await page.keyboard.press('Space');
  await press(page, 'button', 'Carry on');
  await expect(page.getByRole('radio')).toHaveCount(0, { timeout: 45_000 });
  await expect.poll(() => receiver.hits('/blind/tell'), { timeout: 20_000 }).toBe(1);
  expect(receiver.hits('/hang/pay')).toBe(1);
  await host.kill('SIGTERM');
  await receiver.close();
});
