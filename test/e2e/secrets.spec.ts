import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { SecretsView } from '../../src/shared/contract/secret-views.ts';
import { expectAccessible } from '../harness/journey.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { goTo, openWindow } from '../harness/window-page.ts';

test.use({ viewport: { width: 1280, height: 900 } });

const VALUE = 'correct-horse-battery';
const POSTER = { agentId: 'poster', name: 'Poster' };
const KEPT: SecretsView = {
  sequence: 1,
  kept: [
    { name: 'api-key', agents: [POSTER, { agentId: 'digest', name: 'Support\u202Edigest' }], variable: null },
    { name: 'from-outside', agents: [], variable: 'FENCEPOST_SECRET_FROM_OUTSIDE' },
  ],
  missing: [{ name: 'mail-password', agents: [POSTER] }],
  protection: { kind: 'session', sentence: 'Fencepost found no keychain on this device that encrypts.' },
};

async function openSecrets(page: Page, view: SecretsView): Promise<string[]> {
  const complaints = await openWindow(page, {
    ...windowAnswers(Date.now()),
    'secrets.list': view,
    'secrets.set': { sentence: 'Kept. Nothing was sent.' },
    'secrets.remove': { sentence: 'Removed.' },
    'secrets.choose': { sentence: 'Kept in a file.' },
  });
  // What the page asks for, to see that a value goes where it should and nowhere else.
  await page.evaluate(() => {
    const { fencepost } = window as unknown as { fencepost: { call: (route: string, request: object) => unknown } };
    const call = fencepost.call;
    const requests: [string, object][] = [];
    Object.assign(window, { asked: requests });
    Object.assign(fencepost, {
      call: (route: string, request: object) => {
        if (route.startsWith('secrets.') && route !== 'secrets.list') requests.push([route, request]);
        return call(route, request);
      },
    });
  });
  await goTo(page, '/settings');
  await expect(page.getByRole('region', { name: 'Secrets' })).toBeVisible();
  return complaints;
}

function asked(page: Page): Promise<unknown> {
  return page.evaluate(() => (window as unknown as { asked: unknown }).asked);
}

test.describe('secrets in the settings', () => {
  test('says what is missing, who asks, and that nothing here encrypts', async ({ page }) => {
    const complaints = await openSecrets(page, KEPT);
    const section = page.getByRole('region', { name: 'Secrets' });
    await expect(section).toContainText('mail-password is missing.');
    await expect(section).toContainText('Poster asks for it');
    await expect(section).toContainText('Nothing here encrypts secrets.');
    await expect(section.getByRole('radio', { name: 'In memory only' })).toBeChecked();
    const rows = section.getByRole('list', { name: 'Secrets on this device' }).getByRole('listitem');
    await expect(rows.first()).toContainText('Used by Poster and SupportU+202Edigest');
    await expect(rows.nth(1)).toContainText('Change FENCEPOST_SECRET_FROM_OUTSIDE');
    await expect(rows.nth(1).getByRole('button')).toHaveCount(0);
    await expectAccessible(page, 'secrets');
    await section.getByRole('radio', { name: 'Unencrypted in a file' }).click();
    expect(await asked(page)).toEqual([['secrets.choose', { kind: 'plain-file' }]]);
    expect(complaints).toEqual([]);
  });

  test('takes a value with the keyboard alone, shows it nowhere, and keeps none for the next time', async ({
    page,
  }) => {
    await openSecrets(page, KEPT);
    await page.getByRole('button', { name: 'Add mail-password' }).focus();
    await page.keyboard.press('Enter');
    const value = page.getByLabel('Value');
    await expect(value).toBeFocused();
    await expect(value).toHaveValue('');
    await expect(value).toHaveAttribute('type', 'password');
    await page.keyboard.type(VALUE);
    await expectAccessible(page, 'a secret is entered');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByText('Kept. Nothing was sent.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add mail-password' })).toBeFocused();
    expect(await page.content()).not.toContain(VALUE);

    await page.getByRole('button', { name: 'Replace api-key' }).click();
    await expect(value).toHaveValue('');
    await value.fill(VALUE);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Replace api-key' }).click();
    await expect(value).toHaveValue('');
    expect(await asked(page)).toEqual([['secrets.set', { name: 'mail-password', value: VALUE }]]);
  });
});

test.describe('a secret that is there', () => {
  test('is replaced only with its name and a word about it', async ({ page }) => {
    await openSecrets(page, KEPT);
    await page.getByRole('button', { name: 'Add a secret…' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await expect(name).toBeFocused();
    await expect(page.getByRole('button', { name: 'Keep it' })).toBeDisabled();
    await name.fill('api-key');
    await expect(page.getByText('There is a secret of that name.')).toBeVisible();
    await page.getByLabel('Value').fill(VALUE);
    await page.getByRole('button', { name: 'Replace it' }).click();
    expect(await asked(page)).toEqual([['secrets.set', { name: 'api-key', value: VALUE }]]);
  });

  test('is removed only after a second press, and the safe answer has the focus', async ({ page }) => {
    await openSecrets(page, KEPT);
    await page.getByRole('button', { name: 'Remove api-key' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Remove api-key?' });
    await expect(dialog).toContainText('Steps of Poster and Support');
    await expect(dialog.getByRole('button', { name: 'Leave it' })).toBeFocused();
    await expectAccessible(page, 'a secret is removed');
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    expect(await asked(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove api-key' }).click();
    await page.evaluate(
      (view) => {
        const { fixture } = window as unknown as { fixture: { answers: Record<string, unknown> } };
        fixture.answers['secrets.list'] = view;
      },
      { ...KEPT, sequence: 2, kept: [] },
    );
    await dialog.getByRole('button', { name: 'Remove the secret' }).click();
    await expect(page.getByText('No secrets are kept on this device.')).toBeVisible();
    expect(await asked(page)).toEqual([['secrets.remove', { name: 'api-key' }]]);
    await expect(page.getByRole('button', { name: 'Add a secret…' })).toBeFocused();
  });
});
