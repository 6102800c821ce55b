import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';
import { signInsView } from '../harness/window-settings.ts';

test.use({ viewport: { width: 1280, height: 900 } });

const ADDRESS = 'https://mcp.example.com/mcp';
const PAGE = 'https://accounts.example.com/authorize?state=a';
let complaints: string[];

async function openSettings(page: Page, answers: object): Promise<void> {
  complaints = await openWindow(page, { ...windowAnswers(Date.now()), ...answers });
  await goTo(page, '/settings');
  await expect(page.getByRole('list', { name: 'Tool servers to sign in at' })).toBeVisible();
}
test.afterEach(() => expect(complaints).toEqual([]));

/** What the list tells from now on. */
async function tell(page: Page, change: Parameters<typeof signInsView>[1]): Promise<void> {
  await answerWith(page, { 'signIns.list': signInsView(Date.now(), change) });
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in at mcp.example.com?' });

test.describe('signing in at a tool server', () => {
  test('opens a page before somebody follows the link, or goes on without the answer', async ({ page }) => {
    await openSettings(page, { 'signIns.begin': { attempt: 2, host: 'accounts.example.com', page: PAGE } });
    await page.getByRole('button', { name: `Sign in at ${ADDRESS}` }).focus();
    await page.keyboard.press('Enter');
    await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
    await expect(dialog(page)).toContainText('No agent may do more than before.');
    expect(await commandsOf(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Go to the page' }).click();
    const link = dialog(page).getByRole('link', { name: 'Open the page of accounts.example.com' });
    await expect(link).toHaveAttribute('href', PAGE);
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await tell(page, { attempt: 2, isWaiting: true });
    await expect(dialog(page).getByRole('button', { name: 'Stop waiting' })).toBeFocused();
    await tell(page, { attempt: 2, standing: 'signed-in', signedInAtMs: Date.now() });
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByText('Signed in at mcp.example.com.')).toBeVisible();
    await expect(page.getByRole('button', { name: `Sign out of ${ADDRESS}` })).toBeFocused();
    expect(await commandsOf(page)).toEqual([['signIns.begin', { address: ADDRESS }]]);
  });

  test('says nothing of a refusal, or of what an earlier try came to', async ({ page }) => {
    const message = 'Not signed in. You, or the server, did not agree.';
    const problem = { code: 'not-offered' as const, message, wayOut: 'Nothing was kept.' };
    await openSettings(page, {
      'signIns.list': signInsView(Date.now(), { attempt: 1, problem }),
      'signIns.begin': { attempt: 2, host: 'accounts.example.com', page: null },
    });
    await page.getByRole('button', { name: `Sign in at ${ADDRESS}` }).click();
    await expect(dialog(page).getByRole('alert')).toHaveCount(0);
    await dialog(page).getByRole('button', { name: 'Go to the page' }).click();
    await expect(dialog(page)).toContainText('The page of accounts.example.com is open in your browser.');
    await tell(page, { attempt: 2, problem });
    await expect(dialog(page).getByRole('alert')).toContainText(message);
    await expect(dialog(page).getByRole('button', { name: 'Try again' })).toBeVisible();
  });

  test('goes on behind a dialog that was closed', async ({ page }) => {
    await openSettings(page, { 'signIns.begin': { attempt: 2, host: 'accounts.example.com', page: PAGE } });
    await page.getByRole('button', { name: `Sign in at ${ADDRESS}` }).click();
    await dialog(page).getByRole('button', { name: 'Go to the page' }).click();
    await tell(page, { attempt: 2, isWaiting: true });
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    expect(await commandsOf(page)).toEqual([
      ['signIns.begin', { address: ADDRESS }],
      ['signIns.cancel', { address: ADDRESS }],
    ]);
  });
});

test('signing out happens with one press, or the safe answer is not the first', async ({ page }) => {
  await openSettings(page, { 'signIns.end': { sentence: 'Signed out at tickets.example.org, here and there.' } });
  await page.getByRole('button', { name: 'Sign out of https://tickets.example.org/team/42/mcp' }).click();
  const question = page.getByRole('alertdialog', { name: 'Sign out of tickets.example.org?' });
  await expect(question.getByRole('button', { name: 'Stay signed in' })).toBeFocused();
  await expect(question).toContainText('Calls of Morning report are refused there');
  await page.keyboard.press('Enter');
  await expect(question).toHaveCount(0);
  expect(await commandsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign out of https://tickets.example.org/team/42/mcp' }).click();
  await question.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByText('Signed out at tickets.example.org, here and there.')).toBeVisible();
  expect(await commandsOf(page)).toEqual([['signIns.end', { address: 'https://tickets.example.org/team/42/mcp' }]]);
});
