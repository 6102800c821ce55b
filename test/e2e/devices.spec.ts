import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import {
  aloneView,
  coordinatorView,
  deviceRow,
  devicesView,
  embeddedView,
  HOSTILE_NAME,
  invitationView,
  joiningView,
  LINK,
  PAIRED_HUB,
  WORDS,
} from '../harness/window-devices.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';

test.use({ viewport: { width: 1280, height: 820 } });

let complaints: string[];

async function openAt(page: Page, place: string, answers: object = {}): Promise<void> {
  complaints = await openWindow(page, { ...windowAnswers(Date.now()), ...answers });
  await goTo(page, place);
}
test.afterEach(() => {
  // A style or script that the policy turns away would be told here.
  expect(complaints).toEqual([]);
});

test.describe('pairing at the hub', () => {
  const told = { sentence: 'Done.' };
  const open = () => invitationView(Date.now());
  const show = (page: Page, invitation: object) =>
    answerWith(page, { 'devices.list': { ...devicesView(Date.now()), invitation } });

  test('by keyboard alone: the link, the words, and allow is never what Enter does first', async ({ page }) => {
    await openAt(page, '/devices', { 'devices.invite': told, 'devices.answer': told });
    const pair = page.getByRole('button', { name: 'Pair a device…' });
    await pair.focus();
    await page.keyboard.press('Enter');
    await show(page, open());
    const dialog = page.getByRole('dialog', { name: 'Pair a device' });
    await expect(dialog).toContainText(LINK);
    await expect(dialog).toContainText(/for [12]:\d\d more/u);
    await expect(dialog).toContainText('are not shared');
    await expect(dialog.getByRole('button', { name: 'Close', exact: true })).toBeFocused();

    await show(page, { ...open(), state: 'asks', deviceName: 'Loft-Mini', words: WORDS });
    await expect(dialog.getByRole('list', { name: 'The six words' }).getByRole('listitem')).toHaveText([...WORDS]);
    await expect(dialog.getByRole('button', { name: 'They differ: don’t allow' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(dialog.getByRole('button', { name: 'They are the same: allow Loft-Mini' })).toBeFocused();
    await page.keyboard.press('Enter');
    expect(await commandsOf(page)).toEqual([
      ['devices.invite', {}],
      ['devices.answer', { invitationId: 'invitation-1', isAllowed: true }],
    ]);

    await show(page, { ...open(), state: 'allowed', deviceName: 'Loft-Mini' });
    await expect(dialog).toContainText('Loft-Mini is paired.');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(pair).toBeFocused();
  });

  test('closing decides nothing: the device that waits stays one press away', async ({ page }) => {
    await openAt(page, '/devices', { 'devices.invite': told, 'devices.answer': told });
    await page.getByRole('button', { name: 'Pair a device…' }).click();
    await show(page, { ...open(), state: 'asks', deviceName: 'Loft-Mini', words: WORDS });
    await expect(page.getByRole('list', { name: 'The six words' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByText('Loft-Mini waits to be paired.')).toBeVisible();
    expect(await commandsOf(page)).toEqual([['devices.invite', {}]]);
    await page.getByRole('button', { name: 'Compare the words' }).click();
    await page.getByRole('button', { name: 'They differ: don’t allow' }).click();
    expect(await commandsOf(page)).toContainEqual([
      'devices.answer',
      { invitationId: 'invitation-1', isAllowed: false },
    ]);
  });

  test('a link whose two minutes are over is not shown as one, and a new one can be made', async ({ page }) => {
    await openAt(page, '/devices', { 'devices.invite': told });
    await page.getByRole('button', { name: 'Pair a device…' }).click();
    await show(page, invitationView(Date.now() - 130_000));
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('The link has run out. Nothing was shared.');
    await expect(dialog).not.toContainText(LINK);
    await dialog.getByRole('button', { name: 'Make a new link' }).click();
    expect(await commandsOf(page)).toEqual([
      ['devices.invite', {}],
      ['devices.invite', {}],
    ]);
  });
});

test.describe('pairing at the new device', () => {
  test('the link, the same words, and then what is left to do', async ({ page }) => {
    await openAt(page, '/devices', {
      'devices.list': aloneView(),
      'coordinator.get': embeddedView(),
      'devices.join': { sentence: 'Connecting.' },
    });
    await page.getByRole('button', { name: 'Join with a link…' }).click();
    await expect(page.getByLabel('Link from the hub')).toBeFocused();
    await page.keyboard.type(LINK);
    await page.keyboard.press('Enter');
    await answerWith(page, { 'devices.list': { ...aloneView(), joining: joiningView('compares') } });
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Are these the words on Attic?');
    await expect(dialog).toContainText('Answer on Attic');
    await expect(dialog.getByRole('button', { name: 'They differ: stop pairing' })).toBeFocused();
    expect(await commandsOf(page)).toEqual([['devices.join', { link: LINK }]]);

    const paired = { ...aloneView(), kind: 'hub', joining: joiningView('paired') };
    const coordinator = embeddedView({ pairedHub: PAIRED_HUB });
    await answerWith(page, { 'devices.list': paired, 'coordinator.get': coordinator });
    await expect(dialog).toContainText('This device is paired with Attic.');
    await dialog.getByRole('button', { name: 'Use this hub for the right to act…' }).click();
    await expect(page.getByRole('radio', { name: 'The hub I’m paired with' })).toBeChecked();
    // Paired is not yet shared: the devices screen says so until it is done.
    await page.keyboard.press('Escape');
    await goTo(page, '/devices');
    await expect(page.getByText('this device still keeps its own right to act')).toBeVisible();
  });

  test('a pairing that came to nothing behind a closed dialog is silent, or stays on the page for good', async ({
    page,
  }) => {
    const answers = { 'coordinator.get': embeddedView(), 'devices.cancelJoin': { sentence: 'Done.' } };
    const refused = {
      ...joiningView('refused'),
      sentence: 'The hub of the link cannot be reached.',
      wayOut: 'Try again.',
    };
    await openAt(page, '/devices', {
      ...answers,
      'devices.list': { ...aloneView(), joining: joiningView('compares') },
    });
    await expect(page.getByText('This device waits to be allowed by Attic.')).toBeVisible();
    await answerWith(page, { 'devices.list': { ...aloneView(), joining: refused } });
    await expect(page.getByText('Not paired. The hub of the link cannot be reached. Try again.')).toBeVisible();
    await page.getByRole('button', { name: 'Use another link' }).click();
    await expect(page.getByLabel('Link from the hub')).toBeFocused();
    await answerWith(page, { 'devices.list': aloneView() });
    await page.keyboard.press('Escape');
    await expect(page.getByText('Not paired.')).toHaveCount(0);
    expect(await commandsOf(page)).toEqual([['devices.cancelJoin', {}]]);
  });

  test('a link that is turned away says why, and what to do', async ({ page }) => {
    const problem = { code: 'input-invalid', message: 'This is no link of a hub.', wayOut: 'Copy it again.' };
    await openAt(page, '/devices', {
      'devices.list': aloneView(),
      'coordinator.get': embeddedView(),
      'devices.join': { problem },
    });
    await page.getByRole('button', { name: 'Join with a link…' }).click();
    await page.getByLabel('Link from the hub').fill('https://example.org');
    await page.getByRole('button', { name: 'Connect' }).click();
    await expect(page.getByRole('alert')).toHaveText('This is no link of a hub. Copy it again.');
    await expect(page.getByLabel('Link from the hub')).toHaveValue('https://example.org');
  });
});

test.describe('one device of several', () => {
  test('a name with hidden characters is written out wherever it stands, and never stretches the screen', async ({
    page,
  }) => {
    expect(HOSTILE_NAME).toHaveLength(60);
    await openAt(page, '/devices', { 'devices.answer': { sentence: 'Done.' } });
    const row = page.getByRole('row', { name: /sixty/u });
    await expect(row).toContainText('U+202E');
    await expect(row).toContainText('U+200B');
    await row.getByRole('button', { name: /^Remove Work\[U\+202E\]/u }).click();
    await expect(page.getByRole('alertdialog')).toHaveAccessibleName(/^Remove Work\[U\+202E\]gnipaaL\[U\+200B\]/u);
    await page.keyboard.press('Escape');
    const asks = { ...invitationView(Date.now()), state: 'asks', deviceName: HOSTILE_NAME, words: WORDS };
    await answerWith(page, { 'devices.list': { ...devicesView(Date.now()), invitation: asks } });
    await page.getByRole('button', { name: 'Compare the words' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('U+202E');
    await expect(dialog).toContainText('sixty wants to be paired');
    expect(await page.content()).not.toMatch(/[\u202E\u200B]/u);
    for (const width of [1280, 512]) {
      await page.setViewportSize({ width, height: 600 });
      expect(await dialog.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
      expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    }
  });

  test('is removed only after a second press, and its unclear steps are offered first', async ({ page }) => {
    await openAt(page, '/devices', { 'devices.revoke': { sentence: 'Work-PC is removed.' } });
    const remove = page.getByRole('button', { name: 'Remove Work-PC' });
    await remove.click();
    const dialog = page.getByRole('alertdialog', { name: 'Remove Work-PC?' });
    await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused();
    await expect(dialog).toContainText('They are held back at once');
    await expect(dialog).toContainText('1 unclear step began there.');
    await page.keyboard.press('Enter');
    await expect(remove).toBeFocused();
    expect(await commandsOf(page)).toEqual([]);
    await remove.click();
    await answerWith(page, { 'devices.list': devicesView(Date.now(), { devices: [deviceRow('Attic')] }) });
    await dialog.getByRole('button', { name: 'Remove it now' }).click();
    await expect(page.getByText('Work-PC is removed.')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Devices and sync' })).toBeFocused();
    expect(await commandsOf(page)).toEqual([['devices.revoke', { deviceId: 'device-Work-PC' }]]);
  });

  test('is renamed with the name that was typed, and never without one', async ({ page }) => {
    await openAt(page, '/devices', { 'devices.rename': { sentence: 'Renamed.' } });
    await page.getByRole('button', { name: 'Rename Attic' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await expect(name).toBeFocused();
    await name.fill('  ');
    await expect(page.getByText('It needs a name.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save the name' })).toBeDisabled();
    await name.fill(' Loft ');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Renamed.')).toBeVisible();
    expect(await commandsOf(page)).toEqual([['devices.rename', { deviceId: 'device-Attic', name: 'Loft' }]]);
  });

  test('a hub that keeps nothing says what is left to do', async ({ page }) => {
    await openAt(page, '/devices', { 'coordinator.get': coordinatorView({ choice: { kind: 'embedded' } }) });
    await page.getByRole('button', { name: 'Keep it in the hub…' }).click();
    await expect(page.getByRole('radio', { name: 'This device as the hub' })).toBeChecked();
  });
});
