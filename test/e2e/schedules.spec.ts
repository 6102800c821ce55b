import { expect, test } from '@playwright/test';
import { expectAccessible } from '../harness/journey.ts';
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
    await expectAccessible(page, 'schedules');
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
