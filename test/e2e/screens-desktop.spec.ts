import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { DesktopFacts, DesktopView } from '../../src/shared/contract/desktop-views.ts';
import { expectAccessible } from '../harness/journey.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';

test.use({ viewport: { width: 1280, height: 900 } });

const FACTS: DesktopFacts = {
  hasTray: true,
  canNotify: true,
  isNotifyBlocked: false,
  canStartAtLogin: true,
  startsAtLogin: false,
  leaving: null,
};
const VIEW: DesktopView = { sequence: 1, onClose: 'background', notifies: true, keepsAwake: false, desktop: FACTS };

async function openDesktop(page: Page, view: DesktopView, place = '/settings') {
  const complaints = await openWindow(page, {
    ...windowAnswers(Date.now()),
    'desktop.get': view,
    'desktop.set': view,
  });
  await goTo(page, place);
  return { complaints, section: page.getByRole('region', { name: 'On the desktop' }) };
}

test.describe('the desktop in the settings', () => {
  test('shows what holds, and changes one thing at a time', async ({ page }) => {
    const { complaints, section } = await openDesktop(page, VIEW);
    await expect(section.getByRole('radio', { name: 'Keep running in the background' })).toBeChecked();
    await expect(section.getByRole('switch', { name: 'Tell me what needs me' })).toBeChecked();
    await expect(section.getByRole('switch', { name: 'Stay awake while something is on its way' })).not.toBeChecked();
    await expectAccessible(page, 'desktop');
    await recordScreen(page, 'settings-desktop');
    await section.getByRole('radio', { name: 'Ask me' }).click();
    await section.getByRole('switch', { name: 'Tell me what needs me' }).click();
    await section.getByRole('switch', { name: 'Stay awake while something is on its way' }).focus();
    await page.keyboard.press('Space');
    await section.getByRole('switch', { name: 'Start when I sign in' }).click();
    expect(await commandsOf(page)).toEqual([
      ['desktop.set', { onClose: 'ask' }],
      ['desktop.set', { notifies: false }],
      ['desktop.set', { keepsAwake: true }],
      ['desktop.set', { startsAtLogin: true }],
    ]);
    // What is shown is what the host says, not what was pressed.
    await expect(section.getByRole('radio', { name: 'Keep running in the background' })).toBeChecked();
    expect(complaints).toEqual([]);
  });

  test('offers nothing that this desktop does not have, and says why', async ({ page }) => {
    const desktop = { ...FACTS, hasTray: false, canNotify: false, canStartAtLogin: false };
    const { section } = await openDesktop(page, { ...VIEW, desktop });
    await expect(section).toContainText('closing the window quits');
    await expect(section.getByRole('radio')).toHaveCount(0);
    await expect(section.getByRole('switch', { name: 'Tell me what needs me' })).toBeDisabled();
    await expect(section).toContainText('This system shows no notifications.');
    await expect(section.getByRole('switch', { name: 'Start when I sign in' })).toBeDisabled();
    await expectAccessible(page, 'a desktop without anything');
  });

  test('keeps silent about a system that shows no notification, or complains where none are wanted', async ({
    page,
  }) => {
    const blocked = { ...VIEW, desktop: { ...FACTS, isNotifyBlocked: true } };
    const { section } = await openDesktop(page, blocked);
    await expect(section).toContainText('The system did not show the last notification.');
    await expectAccessible(page, 'notifications that are blocked');
    await recordScreen(page, 'settings-notifications-blocked');
    await answerWith(page, { 'desktop.get': { ...blocked, notifies: false } });
    await section.getByRole('switch', { name: 'Tell me what needs me' }).click();
    await expect(section).not.toContainText('The system did not show');
  });

  test('says why a change was not taken', async ({ page }) => {
    const { section } = await openDesktop(page, VIEW);
    const problem = { code: 'internal', message: 'The system did not take the change.', wayOut: 'Change it there.' };
    await answerWith(page, { 'desktop.set': { problem } });
    await section.getByRole('switch', { name: 'Start when I sign in' }).click();
    await expect(section.getByRole('alert')).toContainText('The system did not take the change.');
    await expect(section.getByRole('switch', { name: 'Start when I sign in' })).not.toBeChecked();
  });

  test('in a browser says that it belongs to the desktop app', async ({ page }) => {
    const { section } = await openDesktop(page, { ...VIEW, desktop: null });
    await expect(section).toContainText('These belong to the desktop app.');
    await expect(section.getByRole('switch')).toHaveCount(0);
    await expectAccessible(page, 'no desktop');
  });
});

test.describe('what the shell opens by its address', () => {
  test('the list of what quitting waits for shortens by itself, and shows hidden characters', async ({ page }) => {
    const leaving = ['Send an email', 'Post\u202Ea comment'];
    const { complaints } = await openDesktop(page, { ...VIEW, desktop: { ...FACTS, leaving } }, '/open/leaving');
    const sheet = page.getByRole('dialog', { name: 'Fencepost is quitting' });
    await expect(sheet.getByRole('listitem')).toHaveText(['Send an email', 'PostU+202Ea comment']);
    await expect(sheet).toContainText('five seconds');
    await expectAccessible(page, 'quitting');
    await recordScreen(page, 'quitting');
    await answerWith(page, { 'desktop.get': { ...VIEW, desktop: { ...FACTS, leaving: [] } } });
    await expect(sheet).toContainText('Nothing is on its way any more.');
    await page.keyboard.press('Escape');
    await expect(sheet).toHaveCount(0);
    expect(await commandsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the question about all agents pauses nothing before it is answered, also in a window opened for it', async ({
    page,
  }) => {
    await openDesktop(page, VIEW, '/open/control');
    await expect(page.getByRole('alertdialog', { name: 'Pause or stop all agents?' })).toBeVisible();
    // Loaded anew, and not at another address of the same document.
    await page.goto('about:blank');
    await goTo(page, '/open/control');
    await expect(page.getByRole('alertdialog', { name: 'Pause or stop all agents?' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Not found' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    expect(await commandsOf(page)).toEqual([]);
  });
});
