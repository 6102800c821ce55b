import type { Locator, Page } from '@playwright/test';
import type { LeaseView } from '../../src/shared/contract/lease-views.ts';
import { button } from './dialog-case.ts';
import type { DialogCase } from './dialog-case.ts';
import { DEVICE_DIALOG_CASES } from './dialog-cases-devices.ts';
import type { AnswersAt } from './screen-cases.ts';
import { agentDetail, approvalView } from './window-agent.ts';
import { windowAnswers } from './window-fixture.ts';
import { needsWith, recoveryView, unclearItem } from './window-recovery.ts';

const rail = (page: Page): Locator => page.getByRole('link', { name: /^Refusals/u });

/** A key opens it from wherever the focus is. */
const byKey = (key: string) => async (page: Page, from: Locator) => {
  await from.focus();
  await page.keyboard.press(key);
};

const alike = (number: number) => ({ ...unclearItem(number), alike: 'one mail server' });
const alikeSteps: AnswersAt = (nowMs) => {
  const view = recoveryView(nowMs);
  return {
    'needs.list': needsWith({ unclear: [alike(142), alike(143)] }),
    'recovery.get unclear-143': { ...view, attemptToken: 'unclear-143', run: { ...view.run, number: 143 } },
  };
};

const alikeQuestions: AnswersAt = (nowMs) => {
  const view = (number: number) => ({ ...approvalView(nowMs, number), argv: ['git', 'tag', `v2.4.${number}`] });
  const question = (number: number) => ({
    ...unclearItem(number),
    kind: 'approve' as const,
    id: `approve-${number}`,
    agentName: 'Site keeper',
    alike: 'one step',
  });
  return {
    'needs.list': needsWith({ approvals: [question(1), question(2)] }),
    'approval.get approve-1': view(1),
    'approval.get approve-2': view(2),
  };
};

const destructive: AnswersAt = (nowMs) => ({
  'needs.list': needsWith({ unclear: [unclearItem(142)] }),
  'recovery.get': recoveryView(nowMs, { isDestructive: true }),
});

const unpermitted: AnswersAt = (nowMs) => ({
  'agents.get': agentDetail(nowMs, { grant: null, standing: [] }),
});

/** One right of the fixture, opened beside the list. */
const showLease = (agentName: LeaseView['agentName']) => async (page: Page) => {
  await button(`Show ${agentName}`)(page).click();
};

const SAVED_VIEW = {
  viewId: 'view-1',
  name: 'Mails of Ana',
  search: '',
  statuses: [],
  agentId: null,
  deviceId: null,
  time: null,
};

const leaving: AnswersAt = (nowMs) => {
  const view = windowAnswers(nowMs)['desktop.get'];
  const desktop = {
    hasTray: true,
    canNotify: true,
    isNotifyBlocked: false,
    canStartAtLogin: true,
    startsAtLogin: false,
    leaving: ['Send an email', 'Post a comment'],
  };
  return view === undefined ? {} : { 'desktop.get': { ...view, desktop } };
};

const AROUND: readonly DialogCase[] = [
  {
    name: 'palette',
    source: 'ui/command-palette.tsx#CommandPalette',
    at: '/runs',
    title: 'Commands',
    opener: (page) => page.locator('.jump'),
  },
  { name: 'keys', source: 'app/help-sheet.tsx#HelpSheet', at: '/runs', title: 'Keys', opener: rail, open: byKey('?') },
  {
    name: 'quitting',
    source: 'app/leaving-sheet.tsx#LeavingSheet',
    at: '/runs',
    title: 'Fencepost is quitting',
    answers: leaving,
    opener: rail,
    // The menu of the system goes to this address.
    open: async (page, from) => {
      await from.focus();
      await page.evaluate(() => (location.hash = '#/open/leaving'));
    },
  },
  {
    name: 'everything',
    source: 'features/agents/everything-dialog.tsx#EverythingDialog',
    at: '/runs',
    title: 'Pause or stop all agents?',
    opener: button('Pause or stop all…'),
  },
];

const NEEDS_YOU: readonly DialogCase[] = [
  {
    name: 'recovery-exactly',
    source: 'features/needs-you/recovery/recovery-header.tsx#RecoveryHeader',
    at: '/needs/unclear/unclear-142',
    title: 'Exactly this',
    opener: button('Show exactly'),
  },
  {
    name: 'recovery-twice',
    source: 'features/needs-you/recovery/confirm-twice-dialog.tsx#ConfirmTwiceDialog',
    at: '/needs/unclear/unclear-142',
    title: 'This may happen twice, and it can’t be undone',
    answers: destructive,
    before: (page) => page.getByRole('radio', { name: /^It wasn’t sent/u }).click(),
    opener: button(/^Send it now from/u),
  },
  {
    name: 'approval-like',
    source: 'features/needs-you/approval/allow-like-dialog.tsx#AllowLikeDialog',
    at: '/needs/approve/approve-1',
    title: 'Allow this, and later ones like it?',
    opener: button('Allow like this…'),
  },
  {
    name: 'needs-you-batch',
    source: 'features/needs-you/batch/batch-dialog.tsx#BatchDialog',
    at: '/needs',
    title: '2 questions of Site keeper',
    answers: alikeQuestions,
    opener: button('Answer 2 of Site keeper together…'),
  },
  {
    name: 'needs-you-doubts',
    source: 'features/needs-you/batch/doubt-batch-dialog.tsx#DoubtBatchDialog',
    at: '/needs',
    title: 'Did these 2 happen?',
    answers: alikeSteps,
    opener: button('Decide for all 2 of Work-PC…'),
  },
];

const RUNS: readonly DialogCase[] = [
  {
    name: 'run-stop',
    source: 'features/run-detail/run-actions.tsx#StopDialog',
    at: '/runs/run-1490/timeline',
    title: 'Stop this run?',
    opener: button('Stop…'),
  },
  {
    name: 'run-pause',
    source: 'features/run-detail/run-actions.tsx#PauseDialog',
    at: '/runs/run-1490/timeline',
    title: 'Pause this run?',
    opener: button('Pause…'),
  },
  {
    name: 'runs-between',
    source: 'ui/between-dialog.tsx#BetweenDialog',
    at: '/runs',
    title: 'Runs that started between two days',
    opener: button('Started'),
    open: async (page, opener) => {
      await opener.click();
      await page.getByRole('menuitemcheckbox', { name: 'Between two days…' }).click();
    },
  },
  {
    name: 'runs-save-view',
    source: 'features/runs/save-view-dialog.tsx#SaveViewDialog',
    at: '/runs',
    title: 'Rename this view',
    answers: () => ({ 'savedViews.list': { sequence: 1, views: [SAVED_VIEW] } }),
    before: (page) => page.getByRole('button', { name: SAVED_VIEW.name, exact: true }).click(),
    opener: button(/^Rename…/u),
  },
  {
    name: 'runs-stop',
    source: 'features/runs/stop-runs-dialog.tsx#StopRunsDialog',
    at: '/runs',
    title: 'Stop 1 run?',
    answers: (nowMs) => {
      const list = windowAnswers(nowMs)['runs.list'];
      return list === undefined ? {} : { 'runs.list': { ...list, rows: list.rows.slice(0, 1) } };
    },
    before: (page) => page.locator('.runs-pick').first().click(),
    opener: (page) => page.getByRole('region', { name: 'Chosen runs' }).getByRole('button', { name: 'Stop…' }),
  },
];

const AGENTS: readonly DialogCase[] = [
  {
    name: 'agent-new',
    source: 'features/agents/new-agent-dialog.tsx#NewAgentDialog',
    at: '/agents',
    title: 'New agent',
    opener: button('New agent…'),
  },
  {
    name: 'agent-run',
    source: 'features/agents/run-now-dialog.tsx#RunNowDialog',
    at: '/agents/site-keeper',
    title: 'Run Site keeper now?',
    opener: button('Run now'),
  },
  {
    name: 'agent-permit',
    source: 'features/agents/authorise-dialog.tsx#AuthoriseDialog',
    at: '/agents/site-keeper',
    title: 'What may Site keeper do?',
    answers: unpermitted,
    opener: button('Look and permit…'),
  },
  {
    name: 'refusal-permit',
    source: 'features/agents/authorise-dialog.tsx#AuthoriseDialog',
    at: '/refusals',
    title: 'What may Site keeper do?',
    answers: unpermitted,
    opener: button(/^Review permission…/u),
  },
  {
    name: 'agent-exactly',
    source: 'features/agents/exact-permission.tsx#ExactPermissionDialog',
    at: '/agents/site-keeper',
    title: 'What Site keeper may do, exactly',
    opener: button('See exactly'),
  },
  {
    name: 'agent-revoke',
    source: 'features/agents/agent-permission.tsx#RevokeDialog',
    at: '/agents/site-keeper',
    title: 'Revoke the permission of Site keeper?',
    // A standing permission has a button of the same name.
    answers: (nowMs) => ({ 'agents.get': agentDetail(nowMs, { standing: [] }) }),
    opener: button('Revoke…'),
  },
  {
    name: 'agent-stop',
    source: 'features/agents/control-dialog.tsx#ControlDialog',
    at: '/agents/site-keeper',
    title: 'Stop Site keeper?',
    opener: button('Stop the agent…'),
  },
  {
    name: 'schedule-new',
    source: 'features/schedules/new-schedule-dialog.tsx#NewScheduleDialog',
    at: '/schedules',
    title: 'When should it start by itself?',
    opener: button('New schedule…'),
  },
];

const LEASES: readonly DialogCase[] = [
  {
    name: 'lease-take-over',
    source: 'features/leases/take-over-dialog.tsx#TakeOverDialog',
    at: '/leases',
    title: 'Take over Price watch?',
    before: showLease('Price watch'),
    opener: button('Take over…'),
  },
  {
    name: 'lease-raise',
    source: 'features/leases/bump-dialog.tsx#BumpDialog',
    at: '/leases',
    title: 'Raise the right to act of Shop window?',
    before: showLease('Shop window'),
    opener: button('After a restore: raise it…'),
  },
];

/** Every dialog of the window. */
export const DIALOG_CASES: readonly DialogCase[] = [
  ...AROUND,
  ...NEEDS_YOU,
  ...RUNS,
  ...AGENTS,
  ...LEASES,
  ...DEVICE_DIALOG_CASES,
];
