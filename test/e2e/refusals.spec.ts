import { expect, test } from '@playwright/test';
import { agentDetail } from '../harness/window-agent.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';
import { refusalGroups } from '../harness/window-refusals.ts';

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
  await answerWith(page, { 'refusals.list': { sequence: 1, groups: settled } });
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
