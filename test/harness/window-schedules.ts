import type { MissedRow, SchedulesView, TriggerRow } from '../../src/shared/contract/schedule-views.ts';

const HOUR = 3_600_000;

function trigger(changes: Partial<TriggerRow>): TriggerRow {
  return {
    agentId: 'morning-report',
    agentName: 'Morning report',
    kind: 'schedule',
    triggerId: 'daily',
    words: 'Every day at 07:00 (Europe/Berlin)',
    policy: 'One run makes up for missed times',
    isOn: true,
    note: '',
    nextAtMs: null,
    lastRun: null,
    ...changes,
  };
}

/** A time that was missed and asks for an answer. */
export function missedRow(nowMs: number, changes: Partial<MissedRow>): MissedRow {
  return {
    agentId: 'morning-report',
    agentName: 'Morning report',
    kind: 'schedule',
    triggerId: 'daily',
    slot: '2026-10-12T07:00',
    reason: 'device-off',
    state: 'open',
    sentence: 'Missed: this device was not awake in time. Nothing was sent.',
    dueAtMs: nowMs - 2 * HOUR,
    firstDueAtMs: nowMs - 50 * HOUR,
    slotCount: 1,
    isMore: false,
    canRun: true,
    run: null,
    ...changes,
  };
}

/** Triggers of every kind, and missed times in every state. */
export function schedulesView(nowMs: number): SchedulesView {
  const lastRun = { runId: 'run-1', number: 142, status: 'done', startedAtMs: nowMs - 26 * HOUR } as const;
  return {
    sequence: 1,
    triggers: [
      trigger({ nextAtMs: nowMs + 5 * HOUR, lastRun }),
      trigger({
        agentId: 'bill-payer',
        agentName: 'Bill payer',
        triggerId: 'monthly',
        policy: 'Missed times are not made up for',
        words: 'On the 1st of every month at 09:30 (Australia/Lord_Howe)',
        nextAtMs: nowMs + 90 * HOUR,
        lastRun: { ...lastRun, status: 'needs-recovery' },
      }),
      trigger({
        agentId: 'sorter',
        agentName: 'Inbox sorter',
        kind: 'file',
        triggerId: 'incoming',
        policy: '',
        words: 'When a file like *.pdf appears or changes in /home/ana/Inbox',
      }),
      trigger({
        agentId: 'shop',
        agentName: 'Shop window',
        kind: 'webhook',
        triggerId: 'order',
        policy: '',
        isOn: false,
        words: 'When a program calls /hooks/shop/order',
        note: 'Off: the agent has no permission to act as it is now.',
      }),
      trigger({
        agentId: 'archive',
        agentName: 'Archive',
        kind: 'run',
        triggerId: 'after-report',
        policy: '',
        words: 'When a run of Morning report is done or is stopped',
      }),
    ],
    missed: [
      missedRow(nowMs, { slotCount: 3 }),
      missedRow(nowMs, { slot: 'b', state: 'waiting' }),
      missedRow(nowMs, {
        slot: 'c',
        agentName: 'Inbox sorter',
        agentId: 'sorter',
        kind: 'file',
        triggerId: 'incoming',
        canRun: false,
        reason: 'watch-failed',
        sentence: 'Missed: /home/ana/Inbox cannot be watched: The folder is gone. Nothing was sent.',
      }),
      missedRow(nowMs, { slot: 'd', state: 'ran', canRun: false, run: { ...lastRun, status: 'failed-was-sent' } }),
      missedRow(nowMs, { slot: 'e', state: 'skipped', canRun: false }),
      missedRow(nowMs, { slot: 'f', state: 'noted', reason: 'covered', canRun: false, slotCount: 500, isMore: true }),
    ],
    webhookOrigin: 'http://127.0.0.1:41873',
    webhookTrouble: '',
  };
}
