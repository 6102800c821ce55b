import { expect, test } from '@playwright/test';
import { startHeadless } from '../harness/headless-host.ts';
import { expectAccessible, skipOnboarding } from '../harness/journey.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { goTo, openWindow } from '../harness/window-page.ts';
import { schedulesView } from '../harness/window-schedules.ts';

test.use({ viewport: { width: 1280, height: 820 } });

test.describe('the window with triggers of every kind', () => {
  test('says when each comes next, what was missed, and that nothing was sent', async ({ page }) => {
    const complaints = await openWindow(page, {
      ...windowAnswers(Date.now()),
      'schedules.list': schedulesView(Date.now()),
    });
    await goTo(page, '/runs');
    await page.keyboard.press('4');
    await expect(page.getByRole('heading', { name: 'Schedules' })).toBeVisible();
    await expect(page.getByRole('row', { name: /Every day at 07:00 \(Europe\/Berlin\)/u })).toContainText('Done');
    await expect(page.getByRole('row', { name: /hooks\/shop/u })).toContainText('no permission');
    const list = page.getByRole('region', { name: 'Missed' });
    await expect(list.getByRole('listitem').first()).toContainText('Nothing was sent');
    await expect(list.getByRole('listitem').first()).toContainText('3 times since');
    await expect(list.getByRole('button', { name: /^Run now/u })).toHaveCount(2);
    await expect(list.getByRole('button', { name: /^Skip/u })).toHaveCount(3);
    await recordScreen(page, 'schedules');
    expect(complaints).toEqual([]);
  });

  test('without any of them teaches what would appear', async ({ page }) => {
    const empty = { sequence: 1, triggers: [], missed: [], webhookOrigin: null, webhookTrouble: '' };
    await openWindow(page, { ...windowAnswers(Date.now()), 'schedules.list': empty });
    await goTo(page, '/schedules');
    await expect(page.getByRole('heading', { name: 'Nothing starts by itself' })).toBeVisible();
    await expectAccessible(page, 'schedules empty');
  });
});

test('a schedule is added without opening a file, and starts nothing before it is permitted', async ({ page }) => {
  const host = await startHeadless(temporaryFolder());
  await page.goto(host.link);
  await skipOnboarding(page);
  await page.keyboard.press('4');
  await page.getByRole('button', { name: 'New schedule…' }).click();
  const dialog = page.getByRole('dialog');
  // Whose schedule it is, nobody but the person says.
  await expect(dialog.getByLabel('Agent')).toHaveValue('');
  await expect(dialog.getByText('Every day at 07:00')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Add the schedule' })).toHaveAccessibleDescription(
    'Choose an agent first.',
  );
  await dialog.getByLabel('Agent').selectOption('Practice run');
  await dialog.getByRole('radio', { name: 'Every week' }).click();
  await dialog.getByLabel('On', { exact: true }).selectOption('Friday');
  await dialog.getByLabel('At', { exact: true }).fill('16:45');
  await dialog.getByLabel('By the clocks of').fill('Europe/Nowhere');
  await expect(dialog.getByText('There is no time zone called "Europe/Nowhere".')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Add the schedule' })).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByLabel('By the clocks of').fill('Europe/Berlin');
  await expect(dialog.getByText('Fridays at 16:45 (Europe/Berlin)')).toBeVisible();
  await expectAccessible(page, 'new schedule');
  await dialog.getByRole('button', { name: 'Add the schedule' }).click();
  await expect(page.getByRole('heading', { name: 'Practice run' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Look and permit…' })).toBeVisible();
  await page.keyboard.press('4');
  await expect(page.getByRole('row', { name: /Fridays at 16:45/u })).toContainText('Off');
  await page.getByRole('button', { name: 'New schedule…' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'New schedule…' })).toBeFocused();
  await host.stop();
});
