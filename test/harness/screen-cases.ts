import type { Locator, Page } from '@playwright/test';
import type { Responses, Route } from '../../src/shared/contract/api.ts';
import { agentDetail, approvalView, controlView } from './window-agent.ts';
import { aloneView, embeddedView } from './window-devices.ts';
import { windowAnswers } from './window-fixture.ts';
import { needsWith, recoveryView, unclearItem } from './window-recovery.ts';
import { missedRow, schedulesView } from './window-schedules.ts';
import { signInsView } from './window-settings.ts';
import { syncView } from './window-sync.ts';

/** Every screen of the window, in the states in which it is looked at in Chromium and in Electron alike. */

type Answers = Partial<{ [R in Route]: Responses[R] }>;

/** What the fixture answers for a screen besides what it always does. */
export type AnswersAt = (nowMs: number) => Answers & Record<string, unknown>;

export interface ScreenCase {
  /** Of its picture. */
  readonly name: string;
  /** The path of its route, as src/renderer/app/routes.tsx has it; empty for what is shown instead of the routes. */
  readonly route: string;
  readonly at: string;
  /** Its one heading of the first level. */
  readonly heading: string;
  readonly answers?: AnswersAt;
  /** What has to be done before it is what is looked at. */
  readonly before?: (page: Page) => Promise<void>;
  /** What shows that it is all there. */
  readonly shows: (page: Page) => Locator;
}

const HOUR = 3_600_000;
/** A list that is long enough to scroll, and short enough to be drawn at once. */
const RUNS = 40;

/** What the fixture always answers. */
export function baseAnswers(nowMs: number): Answers & Record<string, unknown> {
  return {
    ...windowAnswers(nowMs, RUNS),
    'schedules.list': schedulesView(nowMs),
    'agents.get': agentDetail(nowMs),
    'agents.permitted': { sequence: 1, permitted: null },
    'agents.preview': { previewDigest: 'b'.repeat(64), expiresAtMs: null, sentence: 'It holds until you revoke it.' },
    'control.get': controlView('Site keeper'),
    'recovery.get': recoveryView(nowMs),
    'approval.get': approvalView(nowMs, 1),
    'schedules.draft': {
      sequence: 1,
      words: 'Every day at 07:00 (UTC)',
      nextAtMs: [nowMs + 5 * HOUR, nowMs + 29 * HOUR],
      file: { fileName: 'morning-report.yaml', source: '' },
      problem: '',
    },
    'asleep.get': { sequence: 1, summary: null },
  };
}

const inFirstStart: AnswersAt = (nowMs) => {
  const overview = windowAnswers(nowMs)['overview.get'];
  return overview === undefined ? {} : { 'overview.get': { ...overview, isFirstStart: true } };
};

const afterSleep: AnswersAt = (nowMs) => ({
  'asleep.get': {
    sequence: 1,
    summary: {
      fromMs: nowMs - 8 * HOUR,
      untilMs: nowMs,
      asleepMs: 7 * HOUR,
      rights: [{ agentId: 'bill-payer', agentName: 'Bill payer', state: 'doubtful', deviceName: '' }],
      runs: [],
      runCount: 0,
      isMore: false,
      missed: [missedRow(nowMs, { slotCount: 2 })],
      answered: [{ deviceName: 'iPad', count: 2 }],
    },
  },
});

const oneUnclear: AnswersAt = () => ({ 'needs.list': needsWith({ unclear: [unclearItem(142)] }) });

/** Hits of each kind, as the search finds them. */
const found: AnswersAt = (nowMs) => {
  const [run] = windowAnswers(nowMs)['runs.list']?.rows ?? [];
  if (run === undefined) throw new Error('The fixture has runs.');
  const { runId, number, title, agentName, status } = run;
  const hit = { runId, number, title, agentName, status, text: title, ranges: [], atMs: nowMs };
  const groups = (['run', 'target', 'summary'] as const).map((kind) => ({ kind, hits: [hit], next: null }));
  return { 'search.list': { sequence: 1, groups, isNewestOnly: false } };
};

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, exact: true });

export const SCREEN_CASES: readonly ScreenCase[] = [
  {
    name: 'first-start',
    route: '',
    at: '/',
    heading: 'What is this device called?',
    answers: inFirstStart,
    shows: (page) => page.getByRole('textbox'),
  },
  {
    name: 'needs-you',
    route: '/needs/:kind?/:id?',
    at: '/needs',
    heading: 'Needs you',
    shows: (page) => page.getByRole('list').first(),
  },
  {
    name: 'needs-you-nothing',
    route: '/needs/:kind?/:id?',
    at: '/needs',
    heading: 'Needs you',
    answers: () => ({ 'needs.list': needsWith({}) }),
    shows: (page) => page.getByText('3 runs finished since yesterday'),
  },
  {
    name: 'recovery',
    route: '/needs/:kind?/:id?',
    at: '/needs/unclear/unclear-142',
    heading: 'Needs you',
    answers: oneUnclear,
    shows: heading('Did this happen?'),
  },
  {
    name: 'approval',
    route: '/needs/:kind?/:id?',
    at: '/needs/approve/approve-1',
    heading: 'Needs you',
    shows: (page) => page.getByText('U+202E').first(),
  },
  {
    name: 'runs',
    route: '/runs',
    at: '/runs',
    heading: 'Runs',
    shows: (page) => page.getByRole('row', { name: /Needs you/u }).first(),
  },
  {
    name: 'runs-none',
    route: '/runs',
    at: '/runs',
    heading: 'Runs',
    answers: () => ({ 'runs.list': { sequence: 1, total: 0, shown: 0, counts: {}, rows: [], devices: [] } }),
    shows: heading('No runs yet'),
  },
  {
    name: 'after-sleep',
    route: '/runs',
    at: '/runs',
    heading: 'Runs',
    answers: afterSleep,
    shows: (page) => page.getByText('Bill payer').first(),
  },
  ...(['timeline', 'steps', 'evidence', 'why'] as const).map((tab): ScreenCase => ({
    name: `run-${tab}`,
    route: '/runs/:runId/:tab?/:seq?',
    at: `/runs/run-1490/${tab}`,
    heading: 'Send 5 payment reminders',
    shows: (page) => page.getByRole('tabpanel'),
  })),
  {
    name: 'search',
    route: '/search',
    at: '/search',
    heading: 'Search',
    answers: found,
    before: (page) => page.getByRole('searchbox').fill('mail'),
    shows: (page) => page.getByRole('heading', { name: 'What became of it' }),
  },
  {
    name: 'agents',
    route: '/agents/:agentId?',
    at: '/agents/site-keeper',
    heading: 'Agents',
    shows: (page) => page.getByText('given', { exact: false }).first(),
  },
  {
    name: 'agents-none',
    route: '/agents/:agentId?',
    at: '/agents',
    heading: 'Agents',
    answers: () => ({ 'agents.list': { sequence: 1, agents: [] } }),
    shows: (page) => page.getByRole('button', { name: 'New agent…' }).nth(1),
  },
  {
    name: 'schedules',
    route: '/schedules',
    at: '/schedules',
    heading: 'Schedules',
    shows: (page) => page.getByRole('region', { name: 'Missed' }),
  },
  {
    name: 'refusals',
    route: '/refusals',
    at: '/refusals',
    heading: 'Refusals',
    shows: (page) => page.getByText('Not sent again: Work-PC had already sent it.').first(),
  },
  {
    name: 'leases',
    route: '/leases',
    at: '/leases',
    heading: 'Right to act',
    shows: (page) => page.getByRole('row', { name: /Price watch/u }),
  },
  {
    name: 'devices',
    route: '/devices',
    at: '/devices',
    heading: 'Devices and sync',
    answers: (nowMs) => ({ 'sync.get': syncView(nowMs) }),
    shows: (page) => page.getByRole('table', { name: 'Devices that share the record' }),
  },
  {
    name: 'devices-alone',
    route: '/devices',
    at: '/devices',
    heading: 'Devices and sync',
    answers: () => ({ 'devices.list': aloneView(), 'coordinator.get': embeddedView() }),
    shows: heading('Only this device acts'),
  },
  {
    name: 'activity',
    route: '/activity/:seq?',
    at: '/activity',
    heading: 'Activity',
    shows: (page) => page.getByRole('row', { name: /resumed the run/u }).first(),
  },
  {
    name: 'activity-filtered',
    route: '/activity/:seq?',
    at: '/activity',
    heading: 'Activity',
    before: async (page) => {
      if (await page.getByRole('button', { name: 'Show all' }).isVisible()) return;
      await page.getByRole('button', { name: 'Agent', exact: true }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Invoice chaser' }).click();
    },
    shows: (page) => page.getByRole('button', { name: 'Agent: Invoice chaser. Remove this filter' }),
  },
  {
    name: 'activity-facts',
    route: '/activity/:seq?',
    at: '/activity/40',
    heading: 'Activity',
    shows: (page) => page.getByText('As it was written'),
  },
  {
    name: 'settings',
    route: '/settings/:part?/:choice?',
    at: '/settings',
    heading: 'Settings',
    shows: (page) => page.getByRole('region', { name: 'The record', exact: true }),
  },
  {
    name: 'settings-sign-ins',
    route: '/settings/:part?/:choice?',
    at: '/settings',
    heading: 'Settings',
    answers: (nowMs) => ({ 'signIns.list': signInsView(nowMs, { standing: 'lapsed' }) }),
    before: (page) =>
      page.getByRole('list', { name: 'Tool servers to sign in at' }).evaluate((list) => list.scrollIntoView()),
    shows: (page) => page.getByText('The sign-in has run out'),
  },
  {
    name: 'no-link',
    route: '/no-link',
    at: '/no-link',
    heading: 'Not found',
    shows: (page) => page.getByRole('button', { name: /runs/iu }).first(),
  },
  {
    name: 'not-found',
    route: '*',
    at: '/no-such-screen',
    heading: 'Not found',
    shows: (page) => page.getByRole('button', { name: /runs/iu }).first(),
  },
];
