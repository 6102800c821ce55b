import { expect, test } from '@playwright/test';
import { startHeadless } from '../harness/headless-host.ts';
import { expectAccessible } from '../harness/journey.ts';
import { temporaryFolder } from '../harness/strategies.ts';

test.use({ viewport: { width: 1280, height: 820 } });

test('a newcomer starts the practice run and does not know where to look for what comes of it', async ({ page }) => {
  const host = await startHeadless(temporaryFolder());
  await page.goto(host.link);
  await page.getByRole('button', { name: 'Use this name' }).click();
  await page.getByRole('button', { name: 'Go on, nothing may run' }).click();
  await page.getByRole('button', { name: 'Open the practice agent' }).click();
  await page.getByRole('button', { name: 'Look and permit…' }).click();
  await page.getByRole('button', { name: 'Permit exactly this' }).click();
  await page.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run Practice run now?' });
  await expect(dialog).toContainText('This leads you to its run.');
  await expect(dialog).toContainText('decide under “Needs you” what happened');
  await expectAccessible(page, 'the practice run before it starts');
  await dialog.getByLabel('Practice folder').fill(temporaryFolder());
  await dialog.getByRole('button', { name: 'Run it now' }).click();
  await expect(page.getByRole('tab', { name: /^Timeline/u })).toBeVisible();
  await page.getByRole('button', { name: 'Decide what happened…' }).click();
  await expect(page.getByRole('heading', { name: 'Did this happen?' })).toBeVisible();
  await host.stop();
});
