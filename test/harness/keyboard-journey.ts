import { expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import type { HubProcess } from './hub-in-terminal.ts';
import type { Receiver } from './receiver.ts';

/** What a person does who has no mouse, the same in Electron and in a browser. It begins with the profile of seeded-profile.ts. */

/** No page of this app has more stops than this. */
const TAB_LIMIT = 120;
/** For what a host does, beside which other tests run, ms. */
const HOST_LIMIT_MS = 45_000;

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

/** Leaves the first-start pages behind. */
export async function skipByKeyboard(page: Page): Promise<void> {
  await press(page, 'button', 'Skip, I’ll look around myself');
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
}

/** The agent that lost its permission gets one for what it asks now, and its run goes on. */
export async function permitByKeyboard(page: Page): Promise<void> {
  await press(page, 'link', /^Agents/u);
  await press(page, 'link', /Price watch/u);
  await press(page, 'button', 'Look and permit…');
  await expect(page.getByRole('dialog')).toBeVisible();
  await press(page, 'button', 'Permit exactly this');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await press(page, 'button', 'Run now');
  await press(page, 'button', 'Run it now');
  await expect(page.getByText(/^Done/u).first()).toBeVisible({ timeout: HOST_LIMIT_MS });
}

/** The run that waits for replies is stopped. */
export async function stopByKeyboard(page: Page): Promise<void> {
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
  await expect(page.getByText(/^Stopped/u).first()).toBeVisible({ timeout: HOST_LIMIT_MS });
}

/** The unclear payment: Escape decides nothing, the radio is chosen by the space bar. */
export async function decideByKeyboard(page: Page, receiver: Receiver): Promise<void> {
  await page.keyboard.press('1');
  await press(page, 'link', /Pay €1,240.00/u);
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toHaveCount(0);
  await press(page, 'link', /Pay €1,240.00/u);
  await tabTo(page, page.getByRole('radio', { name: /^It was sent/u }));
  await page.keyboard.press('Space');
  await press(page, 'button', 'Carry on');
  await expect(page.getByRole('radio')).toHaveCount(0, { timeout: HOST_LIMIT_MS });
  await expect.poll(() => receiver.hits('/blind/tell'), { timeout: HOST_LIMIT_MS }).toBe(1);
  expect(receiver.hits('/hang/pay')).toBe(1);
}

/** Joins a hub: the link is typed, and somebody at the hub sees the same six words. */
export async function pairByKeyboard(page: Page, hub: HubProcess): Promise<void> {
  await page.keyboard.press('7');
  await expect(page.getByRole('heading', { name: 'Devices and sync' })).toBeVisible();
  await press(page, 'button', 'Join with a link…');
  const dialog = page.getByRole('dialog');
  await tabTo(page, dialog.getByLabel('Link from the hub'));
  await page.keyboard.insertText(await hub.invite());
  await press(page, 'button', 'Connect');
  const words = dialog.getByRole('list', { name: 'The six words' }).getByRole('listitem');
  await expect(words).toHaveCount(6, { timeout: HOST_LIMIT_MS });
  // Whoever compares words must not end the comparison with a slip of the Enter key.
  await expect(dialog.locator(':focus')).toHaveCount(1);
  await hub.letIn(await words.allTextContents());
  await expect(dialog).toContainText('is paired with', { timeout: HOST_LIMIT_MS });
  await press(page, 'button', 'Later');
  await expect(dialog).toHaveCount(0);
}
