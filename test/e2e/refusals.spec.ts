import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { recordScreen } from '../harness/record-screen.ts';
import { agentDetail } from '../harness/window-agent.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';
import { refusalGroups, refusalsView } from '../harness/window-refusals.ts';

test.use({ viewport: { width: 1280, height: 820 } });

const NOW = Date.now();
const AGENT = 'shop-window';
let complaints: string[];

test.beforeEach(async ({ page }) => {
  const shown = agentDetail(NOW);
  complaints = await openWindow(page, {
    ...windowAnswers(NOW),
    [`agents.get ${AGENT}`]: agentDetail(NOW, {
      agent: { ...shown.agent, agentId: AGENT, name: 'Shop window' },
      grant: null,
      standing: [],
    }),
    'agents.authorise': { grantDigest: 'd'.repeat(64) },
  });
  await goTo(page, '/refusals');
});
test.afterEach(() => expect(complaints).toEqual([]));

test('a refusal for a missing permission tells of it and leaves the way to it to be searched for', async ({ page }) => {
  const review = page.getByRole('button', { name: 'Review permission… of Shop window' });
  await expect(page.getByRole('button', { name: /^Review permission…/u })).toHaveCount(1);
  await review.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'What may Shop window do?' });
  await expect(dialog).toContainText('Run the program git');
  // Nothing is given by a second press of the same key.
  await expect(dialog.getByRole('button', { name: 'Don’t permit' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(review).toBeFocused();
  expect(JSON.stringify(await commandsOf(page))).not.toContain('agents.authorise');
  await page.getByRole('link', { name: 'Open the agent Shop window' }).click();
  await expect(page.getByRole('heading', { name: 'Shop window', level: 2 })).toBeVisible();
});

test('permitted from its refusal, the focus is lost with the button that led there', async ({ page }) => {
  await page.getByRole('button', { name: /^Review permission…/u }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'What may Shop window do?' });
  // The run goes on at once, while the dialog is still there.
  const settled = refusalGroups(NOW).map((group) => ({ ...group, isPermissionAsked: false, needsPerson: false }));
  await expect(dialog).toBeVisible();
  await answerWith(page, { 'refusals.list': refusalsView(settled) });
  await expect(page.getByText('Review permission…')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Permit exactly this' }).press('Enter');
  await expect(dialog).toHaveCount(0);
  expect(await commandsOf(page)).toContainEqual([
    'agents.authorise',
    { agentId: AGENT, devices: 'any', expiresAtMs: null, previewDigest: 'b'.repeat(64) },
  ]);
  await expect(page.getByRole('link', { name: 'Open the agent Shop window' })).toBeFocused();
});

test('a permission that was given meanwhile is asked for once more', async ({ page }) => {
  const given = agentDetail(NOW);
  await answerWith(page, {
    [`agents.get ${AGENT}`]: { ...given, agent: { ...given.agent, agentId: AGENT, name: 'Shop window' } },
  });
  await page.getByRole('button', { name: /^Review permission…/u }).click();
  await expect(page.getByRole('dialog', { name: 'What Shop window may do, exactly' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Permit exactly this' })).toHaveCount(0);
});

test.describe('the filters of refusals', () => {
  const list = (page: Page) => page.locator('.rf');

  /** Takes one of a chip's list with keys alone; `downs` from *Any* on. */
  async function chooseByKeys(page: Page, chip: string, downs: number): Promise<void> {
    await page.locator('header.top').getByRole('button', { name: chip, exact: true }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitemcheckbox').first()).toBeFocused();
    for (let step = 0; step < downs; step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menu')).toHaveCount(0);
  }

  test('need a pointer, hide how much there is, or are lost on the way back', async ({ page }) => {
    await expect(list(page)).toHaveCount(6);
    await chooseByKeys(page, 'Any device', 2);
    await expect(page.getByRole('button', { name: 'Device Work-PC' })).toBeFocused();
    await expect(list(page)).toHaveCount(2);
    await expect(page.locator('#refusals-shown')).toContainText('Shows 13 of 20.');
    await expect(page.getByRole('complementary')).toContainText('13 held back');
    await chooseByKeys(page, 'Any time', 2);
    await expect(page.getByRole('button', { name: 'Held back Since yesterday' })).toBeFocused();
    await recordScreen(page, 'refusals-narrowed');

    await page.getByRole('link', { name: 'Open the agent Newsletter' }).click();
    await expect(page.getByRole('heading', { name: 'Refusals' })).toHaveCount(0);
    await page.goBack();
    await expect(page.getByRole('button', { name: 'Device Work-PC' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Held back Since yesterday' })).toBeVisible();
  });

  test('say of an empty list that nothing was ever held back, or leave no way to the rest', async ({ page }) => {
    await chooseByKeys(page, 'Any device', 2);
    await chooseByKeys(page, 'Any agent', 5);
    await expect(page.getByRole('button', { name: 'Agent Site keeper' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Nothing fits' })).toBeVisible();
    await expect(page.getByText('Nothing was held back')).toHaveCount(0);
    await recordScreen(page, 'refusals-none');
    await page.getByRole('button', { name: 'Show all' }).press('Enter');
    await expect(list(page)).toHaveCount(6);
    await expect(page.getByRole('heading', { name: 'Refusals', level: 1 })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Any time' })).toBeFocused();
  });

  test('ask for two days and forget them, or lose the focus with the dialog', async ({ page }) => {
    await chooseByKeys(page, 'Any time', 5);
    const dialog = page.getByRole('dialog', { name: 'Times a device held back between two days' });
    await dialog.getByLabel('First day').fill('2020-02-03');
    await dialog.getByLabel('Last day').fill('2020-02-29');
    await dialog.getByLabel('Last day').press('Enter');
    await expect(dialog).toHaveCount(0);
    const chip = page.getByRole('button', { name: 'Held back 3 Feb 2020 – 29 Feb 2020' });
    await expect(chip).toBeFocused();
    await expect(page.getByRole('heading', { name: 'Nothing fits' })).toBeVisible();
    await chip.click();
    await page.getByRole('menuitemcheckbox', { name: 'Any time' }).click();
    await expect(list(page)).toHaveCount(6);
  });

  test('pass the newest of very many for all of them', async ({ page }) => {
    const view = refusalsView(refusalGroups(NOW));
    await answerWith(page, { 'refusals.list': { ...view, isCut: true } });
    await expect(page.getByText('These are the newest 6. Narrow the list to see older ones.')).toBeVisible();
    await expect(page.getByRole('complementary')).not.toContainText('needed nothing');
  });
});
