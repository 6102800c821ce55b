import type { Responses } from '../../src/shared/contract/api.ts';
import type { ActivityRow } from '../../src/shared/contract/activity-views.ts';

const MINUTE = 60_000;

type Seed = Pick<ActivityRow, 'kind' | 'act' | 'mark' | 'actor' | 'sentence'> & { readonly measure?: string };

const YOU = { kind: 'person', name: 'You' } as const;
const HOST = { kind: 'host', name: 'Fencepost' } as const;
const AGENT = { kind: 'agent', name: 'Invoice chaser' } as const;

const seeds: readonly Seed[] = [
  { kind: 'run.resumed', act: 'decisions', mark: 'plain', actor: YOU, sentence: 'You resumed the run' },
  {
    kind: 'fence.decided',
    act: 'checks',
    mark: 'refused',
    actor: HOST,
    sentence: 'Not sent again. Work-PC has the right to act and is continuing this run.',
    measure: 'nothing left This Mac',
  },
  {
    kind: 'settle.recorded',
    act: 'effects',
    mark: 'done',
    actor: AGENT,
    sentence: 'Accepted by the mail server',
    measure: '640 ms',
  },
  {
    kind: 'recovery.in-doubt',
    act: 'decisions',
    mark: 'unclear',
    actor: HOST,
    sentence: 'Unclear whether it happened: no answer arrived in time.',
  },
];

/** Some entries of a record with several devices, and the facts of one of them. */
export function activityAnswers(nowMs: number): Pick<Responses, 'activity.list' | 'activity.news' | 'activity.get'> {
  const rows = Array.from({ length: 40 }, (_, index) => rowOf(index, nowMs));
  const [row = rowOf(0, nowMs)] = rows;
  return {
    'activity.list': {
      sequence: 1,
      newestSeq: rows.length,
      rows,
      before: null,
      devices: [
        { deviceId: 'device-1', name: 'This Mac' },
        { deviceId: 'device-2', name: 'Work-PC' },
      ],
    },
    'activity.news': { sequence: 1, count: 0, isMore: false },
    'activity.get': {
      row,
      runTitle: 'Send 5 payment reminders',
      event: {
        kind: 'run.resumed',
        // Identifiers of a fixture need no check.
        payload: { agentId: row.agentId, runId: row.runId, by: 'you' } as never,
        seq: row.seq,
        journalSeq: row.seq,
        epoch: 1,
        opId: 'f'.repeat(64),
        deviceId: 'device-1',
        atMs: row.atMs,
      },
    },
  };
}

function rowOf(index: number, nowMs: number): ActivityRow {
  const seed = seeds[index % seeds.length];
  if (seed === undefined) throw new Error('There are seeds.');
  return {
    measure: '',
    ...seed,
    seq: 40 - index,
    atMs: nowMs - index * MINUTE,
    agentId: 'invoice-chaser',
    agentName: 'Invoice chaser',
    deviceName: index % 3 === 0 ? 'This Mac' : 'Work-PC',
    runId: 'run-1',
    runNumber: 139,
  };
}
