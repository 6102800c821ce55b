import type { Responses, Route } from '../../src/shared/contract/api.ts';
import type { NeedsYouItem, NeedsYouView } from '../../src/shared/contract/decision-views.ts';
import type { RunRow } from '../../src/shared/contract/views.ts';
import { activityAnswers } from './window-activity.ts';
import { coordinatorView, devicesView } from './window-devices.ts';
import { leasesView } from './window-leases.ts';
import { settingsAnswers } from './window-settings.ts';
import { syncOffView } from './window-sync.ts';
import { refusalGroups, refusalsView } from './window-refusals.ts';
import { runDetail } from './window-run.ts';
import { agentIdOf, runRows } from './window-rows.ts';

const MINUTE = 60_000;

const DEVICES = [
  { deviceId: 'device-1', name: 'This Mac' },
  { deviceId: 'device-2', name: 'Work-PC' },
];

const SECRETS: Responses['secrets.list'] = {
  sequence: 1,
  kept: [{ name: 'mail-password', agents: [{ agentId: 'invoice-chaser', name: 'Invoice chaser' }], variable: null }],
  missing: [],
  protection: {
    kind: 'keychain',
    sentence: 'Secrets are encrypted in a file of this profile. The key lies in the keychain of macOS.',
  },
};

function runsList(rows: readonly RunRow[]): Responses['runs.list'] {
  const { length } = rows;
  return { sequence: 1, total: length, shown: length, counts: countsOf(rows), rows, devices: DEVICES };
}

/** Answers for the window's screens, realistic and in all states, without a host. */
export function windowAnswers(nowMs: number, totalRuns = 353): Partial<{ [R in Route]: Responses[R] }> {
  const rows = runRows(nowMs, totalRuns);
  const reminders = rows.find((row) => row.title === 'Send 5 payment reminders') ?? rows[0];
  if (reminders === undefined) throw new Error('The fixture has runs.');
  return {
    'overview.get': {
      sequence: 1,
      version: '0.1.0',
      device: { deviceId: 'device-1', name: 'This Mac', isThisDevice: true },
      surface: 'browser',
      platform: 'linux',
      needsYou: 5,
      agents: 14,
      mayActFor: 5,
      running: 2,
      refusals: 23,
      isPaused: false,
      hold: null,
      coordinator: { name: 'Attic', state: 'ready', answeredMs: 9 },
      store: { state: 'ready', message: '' },
      sync: null,
      isFirstStart: false,
    },
    'runs.list': runsList(rows),
    'runs.get': runDetail(reminders),
    'needs.list': needs(rows),
    'savedViews.list': { sequence: 1, views: [] },
    'refusals.list': refusalsView(refusalGroups(nowMs)),
    'leases.list': leasesView(nowMs),
    'agents.list': {
      sequence: 1,
      agents: [...new Set(rows.map((row) => row.agentName))].map((name) => ({
        agentId: agentIdOf(name),
        name,
        description: '',
        status: 'ready',
        lastRunAtMs: nowMs - MINUTE,
        isSample: false,
      })),
    },
    ...activityAnswers(nowMs),
    ...settingsAnswers(nowMs),
    'devices.list': devicesView(nowMs),
    'coordinator.get': coordinatorView(),
    'sync.get': syncOffView(),
    'secrets.list': SECRETS,
    // As in a browser: nothing around the host.
    'desktop.get': { sequence: 1, onClose: 'ask', notifies: true, keepsAwake: false, desktop: null },
    'settings.get': {
      sequence: 1,
      deviceName: 'This Mac',
      deviceId: '0198c1f2-7d4e-7a10-9c55-52a1d8e6f003',
      theme: 'system',
      contrast: 'system',
      profileFolder: '/home/ana/.config/fencepost/profiles/main',
      schemaVersion: 20,
      coordinatorName: 'This device, in its own store',
      version: '0.1.0',
      electronVersion: null,
      nodeVersion: '24.21.0',
      sqliteVersion: '3.51.0',
    },
  };
}

function countsOf(rows: readonly RunRow[]): Partial<Record<RunRow['status'], number>> {
  const counts: Partial<Record<RunRow['status'], number>> = {};
  for (const row of rows) counts[row.status] = (counts[row.status] ?? 0) + 1;
  return { ...counts, refused: 23, 'failed-nothing-sent': 4, missed: 2 };
}

function needs(rows: readonly RunRow[]): NeedsYouView {
  const items = (status: RunRow['status'], kind: NeedsYouItem['kind']) =>
    rows.filter((row) => row.status === status).map((row) => needsItem(row, kind));
  return {
    sequence: 1,
    unclear: items('needs-recovery', 'unclear'),
    waiting: [],
    approvals: items('needs-approval', 'approve'),
    settled: [],
    finishedSinceYesterday: 311,
  };
}

function needsItem(row: RunRow, kind: NeedsYouItem['kind']): NeedsYouItem {
  return {
    kind,
    id: `${kind}-${row.number}`,
    title: row.title,
    sentence: row.lastEvent,
    runId: row.runId,
    runNumber: row.number,
    runTitle: row.title,
    agentName: row.agentName,
    deviceName: row.deviceName,
    sinceMs: row.startedAtMs,
    alike: null,
  };
}
