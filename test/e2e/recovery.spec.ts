import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { recordScreen } from '../harness/record-screen.ts';
import { needsWith, recoveryView, unclearItem } from '../harness/window-recovery.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';

test.use({ viewport: { width: 1280, height: 820 } });
// axe looks at some screens in both themes.
test.describe.configure({ timeout: 180_000 });

const PLACE = '/needs/unclear/unclear-142';

async function openAt(page: Page, answers: object, place = PLACE): Promise<string[]> {
  const complaints = await openWindow(page, { ...windowAnswers(Date.now()), ...answers });
  await goTo(page, place);
  return complaints;
}

const answers = (change: Parameters<typeof recoveryView>[1] = {}) => ({
  'recovery.get': recoveryView(Date.now(), change),
  'needs.list': needsWith({ unclear: [unclearItem(142)] }),
});
const WORK_PC = { deviceName: 'Work-PC', lastSeenAtMs: Date.now() - 42 * 60_000, sentence: '' };

test.describe('waiting for another device', () => {
  test('waiting decides something, is counted, or cannot be taken back', async ({ page }) => {
    const wait = { ...WORK_PC, state: 'offered' as const, sinceMs: null };
    const complaints = await openAt(page, {
      ...answers({ wait }),
      'recovery.wait': { sentence: 'Waiting for Work-PC. Nothing is decided and nothing is sent.' },
      'recovery.stopWaiting': { sentence: 'Not waiting any more.' },
    });
    const check = page.getByRole('region', { name: 'Check before you answer' });
    await expect(check).toContainText('Wait for Work-PC');
    await expect(check).toContainText(/Last heard of .+, 42 min ago/u);
    await recordScreen(page, 'recovery-wait');
    await check.getByRole('button', { name: 'Wait for it' }).click();
    await expect(check).toContainText('Nothing is decided and nothing is sent.');
    const sinceMs = Date.now();
    await answerWith(page, {
      ...answers({ wait: { ...wait, state: 'waiting', sinceMs } }),
      'needs.list': needsWith({ waiting: [unclearItem(142), unclearItem(143)], approvals: [] }),
    });
    const group = page.getByRole('list', { name: 'Waiting for Work-PC' });
    await expect(group.getByRole('listitem')).toHaveCount(2);
    await expect(group.getByRole('img', { name: 'Waiting' }).first()).toBeVisible();
    await expect(page.getByRole('list', { name: 'Unclear: did it happen?' })).toHaveCount(0);
    await expect(page.getByRole('banner').or(page.locator('header.top'))).not.toContainText('items, oldest');
    // The question is open: it can be answered, and nothing is chosen.
    await expect(page.getByRole('radio')).toHaveCount(3);
    await recordScreen(page, 'recovery-waiting');
    await check.getByRole('button', { name: 'Don’t wait' }).click();
    expect(await commandsOf(page)).toEqual([
      ['recovery.wait', { attemptToken: 'unclear-142' }],
      ['recovery.stopWaiting', { attemptToken: 'unclear-142' }],
    ]);
    expect(complaints).toEqual([]);
  });

  test('a question comes back without the reason', async ({ page }) => {
    const sentence = 'The record of Work-PC arrived, and it holds no answer.';
    await openAt(page, answers({ wait: { ...WORK_PC, state: 'over', sinceMs: Date.now() - 60_000, sentence } }));
    const check = page.getByRole('region', { name: 'Check before you answer' });
    await expect(check).toContainText(sentence);
    await expect(check.getByRole('button', { name: /wait/iu })).toHaveCount(0);
  });
});

test.describe('several unclear steps at once', () => {
  const alike = [142, 143, 144, 145].map((number) => ({ ...unclearItem(number), alike: 'k' }));

  test('several are sent at once, something is chosen beforehand, or closing decides', async ({ page }) => {
    await openAt(page, { ...answers(), 'needs.list': needsWith({ unclear: alike }) }, '/needs');
    const offer = page.getByRole('button', { name: 'Decide for all 4 of Work-PC…' });
    await offer.click();
    const dialog = page.getByRole('dialog', { name: 'Did these 4 happen?' });
    await expect(dialog.getByRole('button', { name: 'Decide later' })).toBeFocused();
    await expect(dialog.getByRole('radio')).toHaveCount(2);
    await expect(dialog.getByRole('radio', { checked: true })).toHaveCount(0);
    await expect(dialog.getByRole('radio', { name: /send/iu })).toHaveCount(0);
    await expect(dialog).toContainText('no answer arrived in time.');
    await expect(dialog).toContainText('Next: Archive the report (4).');
    await expect(dialog).toContainText('8 later steps are cancelled.');
    await recordScreen(page, 'recovery-batch');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    expect(await commandsOf(page)).toEqual([]);
    await expect(offer).toBeFocused();
  });

  test('a partial result is rounded up', async ({ page }) => {
    const came = {
      sentence: '3 decided, 1 was already decided on iPad.',
      steps: [
        { attemptToken: 'unclear-142', kind: 'decided', sentence: 'Decided.' },
        {
          attemptToken: 'unclear-143',
          kind: 'already-decided',
          sentence: 'Already decided on iPad 12 s ago: it was sent.',
        },
      ],
    };
    await openAt(
      page,
      { ...answers(), 'needs.list': needsWith({ unclear: alike }), 'recovery.resolveAlike': came },
      '/needs',
    );
    await page.getByRole('button', { name: 'Decide for all 4 of Work-PC…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'They were sent: carry on' }).click();
    await dialog.getByRole('button', { name: 'Carry on with these 4' }).click();
    await expect(dialog).toContainText('3 decided, 1 was already decided on iPad.');
    await expect(dialog).toContainText('Already decided on iPad 12 s ago: it was sent.');
    await expect(dialog.getByRole('button', { name: 'Close', exact: true })).toBeFocused();
    const [[route, request]] = (await commandsOf(page)) as [[string, { choice: string; steps: object[] }]];
    expect([route, request.choice, request.steps.length]).toEqual(['recovery.resolveAlike', 'it-happened', 4]);
  });
});

test.describe('what the dialog owes a person', () => {
  test('a repeat that is safe for a while is not said to be, or not suggested', async ({ page }) => {
    const dedupeUntilMs = Date.now() + 3_600_000;
    await openAt(page, answers({ dedupeUntilMs, effectKind: 'idempotent-by-key' }));
    await expect(page.getByText(/Sending again is safe until (?:\w+ )?\d\d:\d\d/u)).toBeVisible();
    await expect(page.getByRole('radio', { name: /send it now.*Suggested/u })).toBeVisible();
    await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
  });

  test('a late answer slips in unheard, or a countdown goes on over it', async ({ page }) => {
    await openAt(page, answers());
    await page.getByRole('radio', { name: /send it now/u }).click();
    await page.getByRole('button', { name: 'Send it now from this device' }).click();
    await expect(page.getByRole('timer')).toBeVisible();
    const view = recoveryView(Date.now(), { lateEvidence: 'HTTP 200.' });
    const late = { seq: 99, atMs: Date.now(), sentence: 'A late answer arrived: HTTP 200.', source: 'Work-PC' };
    await answerWith(page, { 'recovery.get': { ...view, known: [...view.known, late] } });
    await expect(page.getByRole('log')).toContainText('New evidence: A late answer arrived: HTTP 200.');
    await expect(page.getByRole('timer')).toHaveCount(0);
    await expect(page.getByText('Something new arrived, so the countdown was stopped.')).toBeVisible();
    expect(await commandsOf(page)).toEqual([]);
  });

  test('a second device is not told where, when and how it was decided', async ({ page }) => {
    const message = 'Already decided on iPad 12 s ago: it was sent.';
    const problem = { code: 'already-decided', message, wayOut: 'Nothing more is needed.' };
    await openAt(page, { ...answers(), 'recovery.resolve': { problem } });
    await page.getByRole('radio', { name: 'Stop here' }).click();
    await page.getByRole('button', { name: 'Stop here', exact: true }).click();
    await expect(page.getByText(message)).toBeVisible();
    const decided = { choice: 'it-happened', by: 'you', deviceName: 'iPad', isHere: false, atMs: Date.now() - 12_000 };
    await answerWith(page, answers({ decided: { ...decided, canReopen: true }, options: [] }));
    await expect(page.getByText(/By you on iPad, 1\d s ago/u)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Reopen', exact: true })).toBeVisible();
  });

  test('what cannot be taken back goes out by one press, or what can be needs two', async ({ page }) => {
    await openAt(page, answers({ effectKind: 'blind', isDestructive: true }));
    await page.getByRole('radio', { name: /send it now/u }).click();
    await page.getByRole('button', { name: 'Send it now from this device' }).click();
    const confirm = page.getByRole('alertdialog');
    await expect(confirm.getByRole('button', { name: 'Go on to the countdown' })).toBeDisabled();
    await page.keyboard.press('Escape');
    await expect(confirm).toHaveCount(0);
    await answerWith(page, answers({ effectKind: 'blind', isDestructive: false }));
    await page.getByRole('radio', { name: /send it now/u }).click();
    await page.getByRole('button', { name: 'Send it now from this device' }).click();
    await expect(page.getByRole('timer')).toBeVisible();
    await expect(confirm).toHaveCount(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await commandsOf(page)).toEqual([]);
  });

  test('the steps that follow, or the device that would send, are not named', async ({ page }) => {
    await openAt(page, answers({ sendsFrom: 'Attic' }));
    const group = page.getByRole('radiogroup', { name: 'Your answer' });
    await expect(group).toContainText('This attempt is marked done. Next step: Archive the report.');
    await expect(group).toContainText('Goes out from Attic as attempt 2. Next step: Archive the report.');
    await expect(group).toContainText('2 later steps are cancelled: Archive the report, Tell the team.');
    await page.getByRole('radio', { name: /send it now/u }).click();
    await expect(page.getByRole('button', { name: 'Send it now from Attic' })).toBeVisible();
  });
});

test('a decision is said twice, or still said after it was taken back', async ({ page }) => {
  const sentence = 'Recorded: it was sent, carry on.';
  const complaints = await openAt(page, { ...answers(), 'recovery.resolve': { sentence } });
  await page.getByRole('radio', { name: /^It was sent/u }).click();
  await page.getByRole('button', { name: 'Carry on', exact: true }).click();
  // Nobody is left without an answer while the record is on its way.
  await expect(page.getByText(sentence)).toBeVisible();
  const decided = { choice: 'it-happened', by: 'you', deviceName: 'This Mac', isHere: true, atMs: Date.now() };
  await answerWith(page, answers({ decided: { ...decided, canReopen: true }, options: [] }));
  await expect(page.getByText('Decided: It was sent. The run carries on.')).toBeVisible();
  await expect(page.getByText(sentence)).toHaveCount(0);
  await answerWith(page, answers());
  await expect(page.getByRole('radio', { checked: false })).toHaveCount(3);
  await expect(page.getByText(sentence)).toHaveCount(0);
  expect(complaints).toEqual([]);
});
