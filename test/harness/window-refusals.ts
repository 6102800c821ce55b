import type { RefusalGroup, RefusalsView } from '../../src/shared/contract/refusal-views.ts';
import { agentIdOf } from './window-rows.ts';

const MINUTE = 60_000;
const DAY_AND_A_BIT = 27 * 60;

const DEVICES = [
  { deviceId: 'device-1', name: 'This Mac' },
  { deviceId: 'device-2', name: 'Work-PC' },
  { deviceId: 'device-3', name: 'Attic' },
];

type Seed = readonly [headline: string, meaning: string, change: Partial<RefusalGroup>, lastAgoMinutes: number];

const seeds: readonly Seed[] = [
  [
    'Not sent again: Work-PC had already sent it.',
    'The right to act moved to Work-PC at 06:46, and it is continuing this run.',
    {},
    10,
  ],
  [
    'Not sent again: these mails had already gone out once.',
    'An agent asked for the same mails again after a restart.',
    { count: 12, deviceName: 'Work-PC', agentName: 'Newsletter', runNumber: 88 },
    20,
  ],
  [
    'Not sent yet: this Mac had just woken',
    'and was not sure it still had the right to act. It asked, and went on 2 s later.',
    { count: 3, word: 'lease', reason: 'suspended', agentName: 'Support digest', runNumber: 511 },
    20,
  ],
  [
    'Not sent: Shop window was changed at 05:20,',
    'and your permission covers the version before. It waits for a new one.',
    {
      reason: 'authority-missing',
      needsPerson: true,
      isPermissionAsked: true,
      whatToDo: 'Review the permission of Shop window',
      deviceName: 'Attic',
      agentName: 'Shop window',
      runNumber: 78,
    },
    20,
  ],
  [
    'Not sent: you had paused everything at 20:58.',
    'It went out once you resumed at 21:04.',
    { reason: 'barrier-active', count: 2, agentName: 'Site keeper', runNumber: 205 },
    DAY_AND_A_BIT,
  ],
  [
    'Not sent: nobody answered in 30 minutes.',
    'The question is closed. Nothing was sent.',
    { word: 'approval', reason: 'expired', deviceName: 'Work-PC', agentName: 'Inbox helper', runNumber: 1979 },
    DAY_AND_A_BIT + 60,
  ],
];

/** Refusals of two days: single ones, repeated ones, and one that needs a person. */
export function refusalGroups(nowMs: number): RefusalGroup[] {
  return seeds.map(([headline, meaning, change, lastAgoMinutes], index) => ({
    agentId: agentIdOf(change.agentName ?? 'Invoice chaser'),
    key: String(index),
    headline,
    meaning,
    whatToDo: '',
    needsPerson: false,
    word: 'gate',
    reason: 'already-settled',
    count: 1,
    firstAtMs: nowMs - (lastAgoMinutes + 10) * MINUTE,
    lastAtMs: nowMs - lastAgoMinutes * MINUTE,
    deviceName: 'This Mac',
    agentName: 'Invoice chaser',
    isPermissionAsked: false,
    runId: 'run-1',
    runNumber: 139,
    facts: [
      { name: 'This Mac knew', value: 'It had the right to act until 06:46, then slept until 07:12:28' },
      { name: 'Attic said', value: 'Work-PC has it since 06:46:22. Reminder 3 was sent at 06:49:04' },
      { name: 'Left this Mac', value: '0 bytes' },
    ],
    ...change,
  }));
}

/** All of them, as the host answers where nothing was chosen. */
export function refusalsView(groups: readonly RefusalGroup[]): RefusalsView {
  const heldBack = groups.reduce((sum, group) => sum + group.count, 0);
  const agents = new Map(groups.map(({ agentId, agentName }) => [agentId, { agentId, name: agentName }]));
  return {
    sequence: 1,
    groups,
    isCut: false,
    heldBack,
    reasons: groups.map(({ word, reason, count }) => ({ word, reason, count })),
    total: heldBack,
    agents: [...agents.values()].toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    devices: DEVICES,
  };
}
