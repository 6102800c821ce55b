import { expect, test } from '@playwright/test';
import { recordScreen } from '../harness/record-screen.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { goTo, openWindow } from '../harness/window-page.ts';
import { recordView } from '../harness/window-settings.ts';

test.use({ viewport: { width: 1280, height: 820 } });
// axe looks at each screen in both themes.
test.describe.configure({ timeout: 150_000 });

test('settings: the tools, the record, and what to hand on', async ({ page }) => {
  const nowMs = Date.now();
  const check = {
    state: 'whole' as const,
    read: 121_040,
    total: 121_040,
    sentence: 'All 121,040 entries and texts are as they were written, in their order. The file itself is whole.',
    faults: [],
    wayOut: '',
    endedAtMs: nowMs - 180_000,
  };
  await openWindow(page, { ...windowAnswers(nowMs), 'record.get': recordView(nowMs, { check }) });
  await goTo(page, '/settings');
  for (const [part, name] of [
    ['Tools', 'settings-tools'],
    ['The record', 'settings-record'],
    ['When something is wrong', 'settings-diagnostics'],
  ] as const) {
    const section = page.getByRole('region', { name: part, exact: true });
    await section.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await expect(section).toBeInViewport();
    await recordScreen(page, name);
  }
});

test('more contrast: the runs', async ({ page }) => {
  await page.emulateMedia({ contrast: 'more' });
  await openWindow(page, windowAnswers(Date.now()));
  await goTo(page, '/runs');
  await expect(page.getByRole('row', { name: /Needs you/u }).first()).toBeVisible();
  await recordScreen(page, 'runs-contrast');
});
