import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';
import { HeadlessProcess } from '../harness/headless-process.ts';
import { openPage, skipOnboarding } from '../harness/journey.ts';
import { temporaryFolder } from '../harness/strategies.ts';

const hosts: HeadlessProcess[] = [];
test.afterEach(async () => {
  for (const host of hosts.splice(0)) await host.kill('SIGTERM');
});

/** A device with its window: a browser of its own, since cookies of this machine do not know ports. */
async function openDevice(browser: Browser, name: string): Promise<Page> {
  const host = await HeadlessProcess.start(temporaryFolder());
  hosts.push(host);
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 820 } })).newPage();
  await page.goto(host.link);
  await skipOnboarding(page);
  await openPage(page, 'Settings');
  const field = page.getByRole('textbox', { name: /name/iu }).first();
  await field.fill(name);
  await field.press('Enter');
  await expect(page.getByRole('contentinfo').or(page.getByText(name).first()).first()).toBeVisible();
  return page;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Keeps the right to act in the place that is chosen already, through every step of the guide. */
async function moveThere(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await dialog.getByRole('button', { name: 'Go on' }).click({ timeout: 20_000 });
  await dialog.getByRole('button', { name: 'Move all agents there' }).click();
  await expect(dialog).toContainText('from now on', { timeout: 30_000 });
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['FENCEPOST_SCREENSHOTS'];
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) });
  }
}

test('two people with two windows cannot pair their devices, or words differ, or one of them still acts alone', async ({
  browser,
}) => {
  test.setTimeout(180_000);
  const attic = await openDevice(browser, 'Attic');
  const laptop = await openDevice(browser, 'Laptop');

  // The way begins and ends on the screen of the devices.
  await openPage(attic, 'Devices');
  await attic.getByRole('button', { name: 'Pair another device…' }).click();
  await attic
    .getByRole('dialog')
    .getByRole('textbox')
    .fill(String(await freePort()));
  await attic.getByRole('button', { name: 'Make it the hub' }).click();
  await expect(attic.getByRole('heading', { name: 'Devices and sync' })).toBeVisible({ timeout: 20_000 });
  await attic.getByRole('button', { name: 'Pair a device…' }).click();
  const invitation = attic.getByRole('dialog', { name: 'Pair a device' });
  await expect(invitation).toContainText('fencepost-pair:');
  await picture(attic, 'pair');

  await openPage(laptop, 'Devices');
  const join = async () => {
    const link = (await invitation.locator('code').textContent()) ?? '';
    await laptop.getByRole('button', { name: 'Join with a link…' }).first().click();
    await laptop.getByRole('dialog').getByLabel('Link from the hub').fill(link);
    await laptop.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
  };
  // Whoever says at the new device that the words differ is heard at the hub: nobody can be let in there any more.
  await join();
  await laptop.getByRole('button', { name: 'They differ: stop pairing' }).click({ timeout: 20_000 });
  await expect(invitation).toContainText('Laptop stopped pairing. Nobody was let in.', { timeout: 20_000 });
  await expect(invitation.getByRole('button', { name: /They are the same/u })).toHaveCount(0);
  await invitation.getByRole('button', { name: 'Make a new link' }).click();
  await expect(invitation).toContainText('fencepost-pair:');
  await join();
  const wordsAt = (page: Page) =>
    page.getByRole('dialog').getByRole('list', { name: 'The six words' }).getByRole('listitem').allTextContents();
  await expect.poll(() => wordsAt(laptop), { timeout: 20_000 }).toHaveLength(6);
  await expect.poll(() => wordsAt(attic), { timeout: 20_000 }).toEqual(await wordsAt(laptop));
  await picture(laptop, 'six-words');
  await attic.getByRole('button', { name: 'They are the same: allow Laptop' }).click();
  await expect(attic.getByRole('dialog')).toContainText('Laptop is paired.');
  await attic.keyboard.press('Escape');
  await expect(laptop.getByRole('dialog')).toContainText('This device is paired with Attic.', { timeout: 20_000 });

  await laptop.getByRole('button', { name: 'Use this hub for the right to act…' }).first().click();
  await moveThere(laptop);
  await laptop.keyboard.press('Escape');
  await expect(laptop.getByRole('heading', { name: 'Devices and sync' })).toBeVisible();
  await openPage(attic, 'Settings');
  await attic.getByRole('button', { name: 'Change…' }).click();
  await attic.getByRole('radio', { name: /This device as the hub/u }).click();
  await moveThere(attic);
  await attic.keyboard.press('Escape');
  await picture(attic, 'right-to-act-place');

  // Each knows what the other is called, the hub's own device as well.
  await openPage(laptop, 'Devices');
  await expect(laptop.getByRole('row', { name: /Attic/u })).toBeVisible({ timeout: 20_000 });
  await openPage(attic, 'Devices');
  await expect(attic.getByRole('row', { name: /Laptop/u })).toBeVisible();
  await picture(attic, 'devices');
  await attic.getByRole('button', { name: 'Remove Laptop' }).click();
  await attic.getByRole('alertdialog').getByRole('button', { name: 'Remove it now' }).click();
  await expect(attic.getByRole('row', { name: /Laptop/u })).toHaveCount(0);
});
