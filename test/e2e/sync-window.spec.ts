import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { visibleText } from '../../src/shared/lib/visible-text.ts';
import { expectAccessible } from '../harness/journey.ts';
import { embeddedView, HOSTILE_NAME } from '../harness/window-devices.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';
import {
  conflictView,
  RECOVERY_WORDS,
  syncChip,
  syncDevice,
  syncOffView,
  syncView,
  WORDS_VIEW,
} from '../harness/window-sync.ts';

test.use({ viewport: { width: 1280, height: 820 } });
// axe looks at each screen in both themes.
test.describe.configure({ timeout: 120_000 });

async function openAt(page: Page, answers: object, place = '/devices'): Promise<string[]> {
  const complaints = await openWindow(page, { ...windowAnswers(Date.now()), ...answers });
  await goTo(page, place);
  return complaints;
}

const overviewWith = (sync: object | null) => ({ ...windowAnswers(Date.now())['overview.get'], sync });

test.describe('the state of sync', () => {
  test('where nothing is shared, the page is empty or the bar claims something', async ({ page }) => {
    const complaints = await openAt(page, {});
    await expect(page.getByRole('heading', { name: 'Not shared with other devices' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Share with your other devices…' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Sync now' })).toHaveCount(0);
    await expect(page.getByRole('contentinfo').getByRole('link')).toHaveCount(0);
    await expectAccessible(page, 'sync off');
    expect(complaints).toEqual([]);
  });

  test('a device that is behind, silent, set aside or let go looks as if it were in step', async ({ page }) => {
    await openAt(page, { 'sync.get': syncView(Date.now(), { conflicts: [conflictView(Date.now())] }) });
    const table = page.getByRole('table', { name: 'Devices that share the record' });
    const row = (name: string) => table.getByRole('row', { name: new RegExp(name, 'u') });
    await expect(row('Travel-Laptop')).toContainText('38 entries wait');
    await expect(row('Travel-Laptop')).toContainText('Away');
    await expect(row('This Mac')).toContainText('3 entries to hand over');
    await expect(row('This Mac')).toContainText(/Oldest \d+ s ago/u);
    await expect(row('Work-PC')).toContainText('+41 s');
    await expect(row('Work-PC')).toContainText('70 entries to come');
    await expect(row('Old-Laptop')).toContainText('Set aside');
    await expect(row('Old-Laptop')).toContainText('12 entries kept apart');
    await expect(row('Old-Phone')).toContainText('Nothing is sent to it');
    await expect(row('Old-Phone').getByRole('button')).toHaveCount(0);
    await expect(page.getByText('Nothing was heard of Loft-Mini')).toBeVisible();
    await expectAccessible(page, 'sync');
  });

  test('what has just been synced is said to lie ahead, by a clock that was looked at before', async ({ page }) => {
    await page.clock.install();
    await openAt(page, { 'sync.get': syncView(Date.now(), { syncedAtMs: Date.now() - 4_000 }) });
    await expect(page.getByText(/Last synced \d+ s ago/u)).toBeVisible();
    // Less than the window waits before it looks at the clock again.
    await page.clock.fastForward(6_000);
    const nowMs = await page.evaluate(() => Date.now());
    await answerWith(page, { 'sync.get': syncView(nowMs, { syncedAtMs: nowMs }) });
    await expect(page.getByText('Last synced now')).toBeVisible();
  });

  test('looking again asks nobody, or the answer is not told', async ({ page }) => {
    await openAt(page, {
      'sync.get': syncView(Date.now()),
      'sync.tryAgain': { sentence: 'What Old-Laptop wrote is looked at once more.' },
    });
    await page.getByRole('button', { name: 'Look again at Old-Laptop' }).click();
    await expect(page.getByText('looked at once more')).toBeVisible();
    expect(await commandsOf(page)).toEqual([['sync.tryAgain', { deviceId: 'device-Old-Laptop' }]]);
    await expect(page.getByRole('heading', { name: 'Sync', exact: true })).toBeFocused();
  });

  test('a failed sync says nothing, and no way out', async ({ page }) => {
    const problem = { code: 'relay-unreachable', message: 'Attic does not answer.', wayOut: 'Look whether it is on.' };
    await openAt(page, { 'sync.get': syncView(Date.now()), 'sync.now': { problem } });
    await page.getByRole('button', { name: 'Sync now' }).click();
    await expect(page.getByRole('alert')).toContainText('Attic does not answer. Look whether it is on.');
  });
});

test.describe('what sync shows', () => {
  test('the first catch-up has no bar that can be read out', async ({ page }) => {
    const catchUp = { done: 61_240, total: 100_000 };
    const view = syncView(Date.now(), { state: 'catching-up', sentence: 'Catching up.', catchUp });
    await openAt(page, {
      'sync.get': view,
      'overview.get': overviewWith(syncChip(0, { state: 'catching-up', catchUp })),
    });
    const bar = page.getByRole('progressbar', { name: 'Catching up' });
    await expect(bar).toHaveAttribute('value', '61');
    await expect(bar).toHaveAttribute('aria-valuetext', '61,240 of 100,000 entries, 61 %');
    await expect(page.getByRole('contentinfo')).toContainText('Catching up 61 %');
    await expectAccessible(page, 'catching up');
  });

  test('a hostile name turns the page around, or a narrow window cuts it off', async ({ page }) => {
    const devices = [syncDevice('This Mac', { isThisDevice: true }), syncDevice(HOSTILE_NAME)];
    await openAt(page, {
      'devices.list': { ...windowAnswers(0)['devices.list'], devices: [] },
      'sync.get': syncView(Date.now(), { devices }),
    });
    await page.getByRole('button', { name: `Let go of ${visibleText(HOSTILE_NAME)}` }).click();
    await expect(page.getByRole('alertdialog')).toContainText('U+202E');
    expect(await page.content()).not.toMatch(/[\u202E\u200B]/u);
    for (const width of [1280, 512]) {
      await page.setViewportSize({ width, height: 600 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    }
  });
});

test.describe('the chip in the status bar', () => {
  const says = [
    [{}, /^Synced \d+ s ago · 2 of 3 devices$/u],
    [{ others: 0, othersInStep: 0 }, /no other device yet/u],
    [{ state: 'offline' }, /^Offline: nothing is lost$/u],
    [{ state: 'trouble' }, /^Sync: something needs a look$/u],
  ] as const;
  for (const [change, words] of says) {
    test(`it says something else than ${String(words)}, or leads nowhere`, async ({ page }) => {
      const now = Date.now();
      const answers = { 'overview.get': overviewWith(syncChip(now, change)), 'sync.get': syncView(now) };
      await openAt(page, answers, '/runs');
      const chip = page.getByRole('contentinfo').getByRole('link');
      await expect(chip).toHaveText(words);
      await chip.click();
      await expect(page.getByRole('heading', { name: 'Devices and sync' })).toBeVisible();
      if ('state' in change && change.state === 'trouble') await expectAccessible(page, 'chip');
    });
  }
});

test.describe('letting go and stopping', () => {
  test('one press does it, or closing does', async ({ page }) => {
    await openAt(page, { 'sync.get': syncView(Date.now()), 'sync.letGo': { sentence: 'Work-PC was let go.' } });
    const row = page
      .getByRole('table', { name: 'Devices that share the record' })
      .getByRole('row', { name: /Work-PC/u });
    const letGo = row.getByRole('button', { name: 'Let go of Work-PC' });
    await letGo.click();
    const dialog = page.getByRole('alertdialog', { name: 'Let Work-PC go?' });
    await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused();
    await expect(dialog).toContainText('It gets no new keys');
    await expectAccessible(page, 'let go');
    await page.keyboard.press('Escape');
    await expect(letGo).toBeFocused();
    expect(await commandsOf(page)).toEqual([]);
    await letGo.click();
    await dialog.getByRole('button', { name: 'Let it go' }).click();
    await expect(page.getByText('Work-PC was let go.')).toBeVisible();
    expect(await commandsOf(page)).toEqual([['sync.letGo', { deviceId: 'device-Work-PC' }]]);
  });

  test('sharing is stopped by a slip, or without saying that the words are needed again', async ({ page }) => {
    await openAt(page, {
      'sync.get': syncView(Date.now(), { hasWords: true }),
      'sync.leave': { sentence: 'Stopped.' },
    });
    await page.getByRole('button', { name: 'Stop sharing…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Stop sharing on this device?' });
    await expect(dialog.getByRole('button', { name: 'Go on sharing' })).toBeFocused();
    await expect(dialog).toContainText('To share again you need the recovery words.');
    await expect(dialog).toContainText('Make sure that you have them on paper.');
    await answerWith(page, { 'sync.get': syncOffView() });
    await dialog.getByRole('button', { name: 'Stop sharing' }).click();
    await expect(page.getByText('Stopped.')).toBeVisible();
    expect(await commandsOf(page)).toEqual([['sync.leave', {}]]);
  });
});

test('an older copy of this device has no way out, or becomes another device by a slip', async ({ page }) => {
  const message = 'Your other devices know more of this device than it knows itself: its record is an older copy.';
  const problem = { code: 'relay-fork', message, wayOut: 'Give this device a new identity.' } as const;
  await openAt(page, {
    'sync.get': syncView(Date.now(), { sentence: message, problem }),
    'sync.newIdentity': { sentence: 'Start Fencepost again.' },
  });
  await expect(page.getByText(message)).toHaveCount(1);
  await page.getByRole('button', { name: 'New identity…' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Give this device a new identity?' });
  await expect(dialog.getByRole('button', { name: 'Leave it as it is' })).toBeFocused();
  await expectAccessible(page, 'new identity');
  expect(await commandsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Give it a new identity' }).click();
  await expect(page.getByText('Start Fencepost again.')).toBeVisible();
  expect(await commandsOf(page)).toEqual([['sync.newIdentity', {}]]);
});

test.describe('setting up', () => {
  test('something is chosen beforehand, or nothing is said about what is missing', async ({ page }) => {
    await openAt(page, { 'coordinator.get': embeddedView(), 'sync.create': { words: RECOVERY_WORDS } });
    await page.getByRole('button', { name: 'Share with your other devices…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share with your other devices' });
    await expect(dialog.getByRole('radio', { checked: true })).toHaveCount(0);
    await expect(dialog.getByRole('radio', { name: 'The hub I’m paired with' })).toBeDisabled();
    await expect(dialog).toContainText('Pair this device with a hub first.');
    await dialog.getByRole('radio', { name: 'Yes, begin here' }).click();
    await dialog.getByRole('radio', { name: 'PostgreSQL' }).click();
    await dialog.getByLabel('Port').fill('99999');
    await dialog.getByRole('button', { name: 'Begin' }).click();
    await expect(dialog.getByText('This is needed.')).toHaveCount(3);
    await expect(dialog.getByText('A port is a number')).toBeVisible();
    await expectAccessible(page, 'set-up');
    expect(await commandsOf(page)).toEqual([]);
    await dialog.getByRole('radio', { name: 'A folder' }).click();
    await dialog.getByLabel('Folder', { exact: true }).fill(' /home/ana/Cloud/fencepost ');
    await dialog.getByRole('button', { name: 'Begin' }).click();
    await expect(page.getByRole('dialog', { name: 'Recovery words' })).toBeVisible();
    const secrets = { password: '', privateKeyPem: '' };
    const relay = { kind: 'folder', folder: '/home/ana/Cloud/fencepost' };
    expect(await commandsOf(page)).toContainEqual(['sync.create', { relay, secrets }]);
  });
});

test.describe('the recovery words', () => {
  test('the words cannot be read in order, printed or kept, or are forgotten by a slip', async ({ page }) => {
    await page.addInitScript(() => {
      window.print = () => document.documentElement.setAttribute('data-printed', 'yes');
    });
    const complaints = await openAt(page, {
      'sync.get': syncView(Date.now(), { hasWords: true }),
      'sync.words': WORDS_VIEW,
      'sync.forgetWords': { sentence: 'The words are forgotten here.' },
    });
    await page.getByRole('button', { name: 'Show the words…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Recovery words' });
    const items = dialog.getByRole('list', { name: 'The 24 recovery words' }).getByRole('listitem');
    await expect(items).toHaveCount(24);
    expect(await items.allTextContents()).toEqual(RECOVERY_WORDS.map((word, index) => `${index + 1}${word}`));
    await expect(dialog).toContainText('7C1F-A093');
    await expectAccessible(page, 'words');
    await dialog.getByRole('button', { name: 'Print the sheet' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-printed', 'yes');
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('heading')).toHaveText(['Fencepost recovery sheet']);
    await expect(page.getByRole('listitem')).toHaveText(RECOVERY_WORDS.map((word, index) => `${index + 1}. ${word}`));
    await page.emulateMedia({ media: 'screen' });
    await dialog.getByRole('button', { name: 'I have written them down' }).click();
    const forget = page.getByRole('dialog', { name: 'Let this device forget the words?' });
    await expect(forget.getByRole('button', { name: 'Keep them for now' })).toBeFocused();
    await expect(forget).toContainText('only your sheet has them');
    await expectAccessible(page, 'forget the words');
    expect(await commandsOf(page)).toEqual([['sync.words', {}]]);
    await forget.getByRole('button', { name: 'Forget them here' }).click();
    await expect(page.getByText('The words are forgotten here.')).toBeVisible();
    expect(await commandsOf(page)).toContainEqual(['sync.forgetWords', {}]);
    expect(complaints).toEqual([]);
  });

  test('wrong words are not explained, or what was typed is lost', async ({ page }) => {
    const problem = {
      code: 'input-invalid',
      message: 'Word 3, “abel”, is none of the words that recovery sheets are made of.',
      wayOut: 'Nothing was changed. Compare with the sheet and try again.',
    };
    await openAt(page, { 'sync.join': { problem } });
    await page.getByRole('button', { name: 'Share with your other devices…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'No, join with recovery words' }).click();
    await dialog.getByRole('radio', { name: 'The hub on this device' }).click();
    await dialog.getByRole('button', { name: 'Join' }).click();
    await expect(dialog.getByText('This is needed.')).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Recovery words' }).fill('1. abandon 2. ability 3. abel');
    await dialog.getByRole('button', { name: 'Join' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Word 3, “abel”');
    await expect(dialog.getByRole('textbox', { name: 'Recovery words' })).toHaveValue('1. abandon 2. ability 3. abel');
    await expectAccessible(page, 'join');
    await answerWith(page, { 'sync.join': { sentence: 'This device is catching up now.' } });
    await dialog.getByRole('button', { name: 'Join' }).click();
    await expect(page.getByText('This device is catching up now.')).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});

test('what happened twice is one line, or nobody knows which counts', async ({ page }) => {
  await openAt(page, { 'sync.get': { ...syncOffView(), conflicts: [conflictView(Date.now())] } });
  const conflict = page.getByRole('article', { name: 'Email “Invoice 88” to Elm Street' });
  await expect(conflict.getByRole('listitem')).toHaveCount(2);
  await expect(conflict.getByRole('listitem').nth(0)).toContainText('This one counts');
  await expect(conflict.getByRole('listitem').nth(1)).not.toContainText('This one counts');
  await expectAccessible(page, 'conflicts');
  await conflict.getByRole('button', { name: 'Open the run Send 5 payment reminders' }).click();
  await expect(page).toHaveURL(/runs\/run-conflict/u);
});
