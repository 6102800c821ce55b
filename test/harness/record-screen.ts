import path from 'node:path';
import type { Page } from '@playwright/test';
import { expectAccessible } from './journey.ts';

/** `npm run screenshots` writes into the documentation; a test run into its results. */
const folder = process.env['FENCEPOST_SCREENSHOTS'] ?? path.join('test-results', 'screenshots');

/** One picture for each theme, and axe on both. */
export async function recordScreen(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) });
  }
}
