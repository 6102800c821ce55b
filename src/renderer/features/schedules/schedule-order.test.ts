import { expect, it } from 'vitest';
import type { TriggerRow } from '../../../shared/contract/schedule-views.ts';
import { soonest } from './schedule-order.ts';

function row(triggerId: string, nextAtMs: number | null): TriggerRow {
  return {
    agentId: 'a',
    agentName: 'A',
    kind: 'schedule',
    triggerId,
    words: '',
    policy: '',
    isOn: true,
    note: '',
    nextAtMs,
    lastRun: null,
  };
}

it('what comes next is not the soonest, or counts what has no time', () => {
  const rows = [
    row('late', 30),
    row('never', null),
    row('soon', 10),
    ...[21, 22, 23, 24, 25].map((at) => row(`t${at}`, at)),
  ];
  expect(soonest(rows).map((next) => next.trigger.triggerId)).toEqual(['soon', 't21', 't22', 't23', 't24', 't25']);
});
