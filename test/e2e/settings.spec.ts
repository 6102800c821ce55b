import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { RecordCheckView } from '../../src/shared/contract/record-views.ts';
import { expectAccessible } from '../harness/journey.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';
import { recordView } from '../harness/window-settings.ts';

test.use({ viewport: { width: 1280, height: 900 } });
// axe looks at each part in both themes.
test.describe.configure({ timeout: 150_000 });

const CHECK: RecordCheckView = {
  state: 'running',
  read: 40_100,
  total: 120_482,
  sentence: 'Every entry and every text is read. Agents go on meanwhile.',
  faults: [],
  wayOut: '',
  endedAtMs: null,
};
let complaints: string[];

async function openSettings(page: Page, answers: object = {}): Promise<void> {
  complaints = await openWindow(page, { ...windowAnswers(Date.now()), ...answers });
  await goTo(page, '/settings');
  await expect(page.getByRole('region', { name: 'The record' })).toBeVisible();
}
test.afterEach(() => expect(complaints).toEqual([]));

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test.describe('tools in the settings', () => {
  test('each says what its kinds are, in which way of using it, and who uses it', async ({ page }) => {
    await openSettings(page);
    const rows = part(page, 'Tools').getByRole('list', { name: 'Tools of this device' }).getByRole('listitem');
    await expect(rows).toHaveCount(7);
    const web = rows.filter({ hasText: 'Web requests' });
    await expect(web).toContainText('Only reads GET and HEAD');
    await expect(web).toContainText('Can’t be undone all others');
    await expect(web).toContainText('Used by Invoice chaser, PriceU+202Ewatch and 1 more');
    await expect(rows.filter({ hasText: 'Programs' })).toContainText('No agent uses it');
    await expect(part(page, 'What the kinds mean')).toContainText('It is never repeated by itself. You are asked');
    await expectAccessible(page, 'tools');
  });
});

test.describe('how long single steps are kept', () => {
  test('a shorter time is asked about first, and closing the question keeps what there is', async ({ page }) => {
    await openSettings(page);
    const record = part(page, 'The record');
    await expect(record.getByRole('radio', { name: 'Keep for 90 days' })).toBeChecked();
    await record.getByRole('radio', { name: 'Keep for 30 days' }).click();
    const question = page.getByRole('alertdialog');
    await expect(question).toContainText('They do not come back.');
    await expect(question.getByRole('button', { name: 'Leave it' })).toBeFocused();
    await expectAccessible(page, 'a shorter time');
    await page.keyboard.press('Escape');
    await expect(record.getByRole('radio', { name: 'Keep for 90 days' })).toBeChecked();
    expect(await commandsOf(page)).toEqual([]);
    await record.getByRole('radio', { name: 'Keep for 30 days' }).click();
    await question.getByRole('button', { name: 'Keep for 30 days' }).click();
    await expect(record).toContainText('It is looked at once an hour.');
    await record.getByRole('radio', { name: 'Keep for ever' }).click();
    await expect(question).toHaveCount(0);
    expect(await commandsOf(page)).toEqual([
      ['record.keep', { retention: '30-days' }],
      ['record.keep', { retention: 'for-ever' }],
    ]);
  });

  test('what was not kept is told, and what holds is shown', async ({ page }) => {
    await openSettings(page);
    const problem = { code: 'store-full', message: 'The disk is full.', wayOut: 'Make room.' };
    await answerWith(page, { 'record.keep': { problem } });
    const record = part(page, 'The record');
    await record.getByRole('radio', { name: 'Keep for a year' }).click();
    await expect(record.getByRole('alert')).toContainText('The disk is full. Make room.');
    await expect(record.getByRole('radio', { name: 'Keep for 90 days' })).toBeChecked();
  });
});

test.describe('a check of the record', () => {
  test('tells how far it is, cannot be begun twice, and says what is wrong in words', async ({ page }) => {
    await openSettings(page);
    const record = part(page, 'The record');
    await expect(record).toContainText('48.7 MB, and 1.2 MB that are still to be brought into the file');
    await expect(record).toContainText('2 copies, 88.1 MB');
    await answerWith(page, { 'record.get': recordView(Date.now(), { check: CHECK }) });
    await expect(record.getByRole('progressbar', { name: 'How far the check is' })).toBeVisible();
    await expect(record).toContainText('40,100 of 120,482');
    await expect(record.getByRole('button', { name: 'Check it again' })).toBeDisabled();
    await expectAccessible(page, 'a check');
    const damaged: RecordCheckView = {
      ...CHECK,
      state: 'damaged',
      sentence: '2 things are not as they were written.',
      faults: ['Entry 5 was changed: its id does not fit what it says.', 'The text\u202E is not.'],
      wayOut: 'Quit and copy the whole data folder before anything else.',
      endedAtMs: Date.now(),
    };
    // Nobody tells the window: it looks by itself while a check runs.
    await page.evaluate(
      (view) => {
        const { answers } = (window as unknown as { fixture: { answers: Record<string, object> } }).fixture;
        answers['record.get'] = view;
      },
      recordView(Date.now(), { check: damaged }),
    );
    await expect(record).toContainText('2 things are not as they were written.');
    await expect(record.getByRole('listitem')).toHaveText([damaged.faults[0] ?? '', 'The textU+202E is not.']);
    await expect(record).toContainText('copy the whole data folder');
    await expectAccessible(page, 'a damaged record');
    await record.getByRole('button', { name: 'Check it again' }).click();
    expect(await commandsOf(page)).toEqual([['record.check', {}]]);
  });
});

test.describe('when something is wrong', () => {
  test('nothing is copied that was not shown, and a browser is told where the logs are', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openSettings(page);
    const section = part(page, 'When something is wrong');
    await expect(section.getByRole('button', { name: 'Copy the text' })).toHaveCount(0);
    await expect(section.getByRole('button', { name: 'Open the folder' })).toHaveCount(0);
    await expect(section).toContainText('A page in a browser can’t open a folder.');
    await section.getByRole('button', { name: 'Show the text' }).click();
    await expect(section.getByRole('textbox', { name: 'Diagnostics' })).toHaveValue(/version: 0\.1\.0/u);
    await expectAccessible(page, 'diagnostics');
    await section.getByRole('button', { name: 'Copy the text' }).click();
    await expect(section).toContainText('Copied');
  });

  const onADesktop = () => ({ 'overview.get': { ...windowAnswers(Date.now())['overview.get'], surface: 'window' } });

  test('on Linux a press would hold up the host until the file manager ends', async ({ page }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'userAgent', { value: 'X11; Linux x86_64' }));
    await openSettings(page, onADesktop());
    const section = part(page, 'When something is wrong');
    await expect(section.getByRole('button', { name: 'Show the text' })).toBeVisible();
    await expect(section.getByRole('button', { name: 'Open the folder' })).toHaveCount(0);
  });

  test('the desktop opens the folder of the logs, or says why it did not', async ({ page }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'userAgent', { value: 'Windows NT 10.0' }));
    await openSettings(page, onADesktop());
    const section = part(page, 'When something is wrong');
    await section.getByRole('button', { name: 'Open the folder' }).click();
    await expect(section).toContainText('The folder is open.');
    const problem = { code: 'internal', message: 'The system did not open the folder.', wayOut: 'Copy its path.' };
    await answerWith(page, { 'diagnostics.openFolder': { problem } });
    await section.getByRole('button', { name: 'Open the folder' }).click();
    await expect(section.getByRole('alert')).toContainText('The system did not open the folder. Copy its path.');
  });

  test('versions promise no update that nobody makes', async ({ page }) => {
    await openSettings(page);
    const section = part(page, 'Versions and updates');
    await expect(section).toContainText('looks for no updates and installs none by itself');
    await expect(section).toContainText('opens nothing and changes nothing');
    await expect(section.getByRole('button')).toHaveCount(0);
  });
});
