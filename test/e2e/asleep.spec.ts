import { expect, test } from '@playwright/test';
import type { AsleepSummary, AsleepView } from '../../src/shared/contract/asleep-views.ts';
import { recordScreen } from '../harness/record-screen.ts';
import { windowAnswers } from '../harness/window-fixture.ts';
import { answerWith, commandsOf, goTo, openWindow } from '../harness/window-page.ts';
import { missedRow } from '../harness/window-schedules.ts';

const HOUR = 3_600_000;

function summaryOf(nowMs: number): AsleepSummary {
  const right = { agentId: 'morning-report', agentName: 'Morning report' };
  return {
    fromMs: nowMs - 8 * HOUR,
    untilMs: nowMs,
    asleepMs: 7 * HOUR + 720_000,
    rights: [
      { ...right, state: 'gone', deviceName: 'Work-PC' },
      { agentId: 'bill-payer', agentName: 'Bill payer', state: 'doubtful', deviceName: '' },
    ],
    runs: [
      { runId: 'run-2', number: 143, title: 'Weekly numbers to \u202Eana', status: 'done', deviceName: 'Work-PC' },
      { runId: 'run-1', number: 142, title: 'Pay Nordwind', status: 'running-elsewhere', deviceName: 'Work-PC' },
    ],
    runCount: 9,
    isMore: false,
    missed: [missedRow(nowMs, { slotCount: 2 })],
    answered: [{ deviceName: 'iPad', count: 2 }],
  };
}

test('after a sleep the window says what changed, offers run now and skip, and goes away without deciding anything', async ({
  page,
}) => {
  const nowMs = Date.now();
  const view: AsleepView = { sequence: 1, summary: summaryOf(nowMs) };
  const complaints = await openWindow(page, {
    ...windowAnswers(nowMs),
    'asleep.get': view,
    'asleep.dismiss': { sentence: 'Seen.' },
    'schedules.skip': { sentence: 'Skipped.' },
  });
  await goTo(page, '/runs');
  const told = page.getByRole('region', { name: 'While this device was asleep' });
  await expect(told.getByRole('heading')).toContainText('This Mac was asleep for 7 h 12');
  await expect(told).toContainText('Morning report: Work-PC has the right to act now. This device watches.');
  await expect(told).toContainText('Nothing is sent until that is confirmed.');
  await expect(told).toContainText('9 runs went on elsewhere:');
  await expect(told).toContainText('0143 Weekly numbers to U+202Eana');
  await expect(told).toContainText('2 questions were answered on iPad');
  // The list below is there as well: it is no wall before it.
  await expect(page.getByRole('grid', { name: 'Runs' })).toBeInViewport();
  await recordScreen(page, 'asleep');

  await told.getByRole('button', { name: /^Skip/u }).press('Enter');
  await told.getByRole('button', { name: 'Seen' }).press('Enter');
  expect(await commandsOf(page)).toEqual([
    ['schedules.skip', { agentId: 'morning-report', kind: 'schedule', triggerId: 'daily', slot: '2026-10-12T07:00' }],
    ['asleep.dismiss', { untilMs: nowMs }],
  ]);
  // It goes by what the host says, and comes again with the next sleep.
  await answerWith(page, { 'asleep.get': { sequence: 2, summary: null } });
  await expect(told).toHaveCount(0);
  await answerWith(page, { 'asleep.get': { sequence: 3, summary: { ...summaryOf(nowMs), rights: [], missed: [] } } });
  await expect(told).toBeVisible();
  await told.getByRole('link', { name: /^0142/u }).press('Enter');
  await expect(page).toHaveURL(/#\/runs\/run-1$/u);
  expect(complaints).toEqual([]);
});

test('nothing stands there where nothing changed', async ({ page }) => {
  await openWindow(page, { ...windowAnswers(Date.now()), 'asleep.get': { sequence: 1, summary: null } });
  await goTo(page, '/runs');
  await expect(page.getByRole('grid', { name: 'Runs' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'While this device was asleep' })).toHaveCount(0);
});
