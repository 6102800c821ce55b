import type { AsleepRight, AsleepRun, AsleepSummary, AsleepView } from '../../shared/contract/asleep-views.ts';
import type { EventKind } from '../../shared/contract/events.ts';
import type { MissedRow } from '../../shared/contract/schedule-views.ts';
import type { Sleep } from '../host/sleeps.ts';
import { readAll } from '../store/connection.ts';
import { findAgent, findRun } from '../store/rows.ts';
import type { MissedRecord } from '../store/trigger-rows.ts';
import { standingOf, whereOf } from './run-status.ts';
import { missedRow } from './schedules.ts';
import { sharedNameOf } from './sync-names.ts';
import { deviceNameOf, sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** So many entries that came since are looked through for one answer. */
const ENTRIES_MAX = 5_000;
const RUNS_SHOWN = 5;
const MISSED_SHOWN = 20;

/** An entry of another device, as far as it matters here. */
export interface AsleepEntry {
  readonly deviceId: string;
  readonly kind: EventKind;
  readonly runId: string | null;
  /** What a person answered, if it is an answer. `null` where a standing permission did. */
  readonly questionId: string | null;
  /** Wall ms, by the clock of the device that wrote it. */
  readonly atMs: number;
}

/** What other devices did while this one was asleep: by run the device that did the last of it, and by question who answered first. */
export interface DoneElsewhere {
  /** The one with the newest entry last. */
  readonly runs: ReadonlyMap<string, string>;
  readonly answers: ReadonlyMap<string, string>;
}

const ANSWERS: readonly EventKind[] = [
  'approval.decided',
  'approval.answered',
  'recovery.decided',
  'recovery.answered',
];

/** Sorts entries in the order of the record. What was written before a sleep, or after the wake, is not about it. */
export function doneElsewhere(
  sleeps: readonly Pick<Sleep, 'fromMs' | 'untilMs'>[],
  entries: readonly AsleepEntry[],
): DoneElsewhere {
  const runs = new Map<string, string>();
  const answers = new Map<string, string>();
  const within = entries.filter(({ atMs }) => sleeps.some(({ fromMs, untilMs }) => fromMs <= atMs && atMs <= untilMs));
  for (const { deviceId, kind, runId, questionId } of within) {
    if (ANSWERS.includes(kind)) {
      if (questionId !== null && !answers.has(questionId)) answers.set(questionId, deviceId);
    } else if (runId !== null) {
      // Taken out first, so that it stands last.
      runs.delete(runId);
      runs.set(runId, deviceId);
    }
  }
  return { runs, answers };
}

/** Whether there is anything to tell. */
export function isAnythingChanged(of: Pick<AsleepSummary, 'rights' | 'runCount' | 'missed' | 'answered'>): boolean {
  return of.rights.length > 0 || of.runCount > 0 || of.missed.length > 0 || of.answered.length > 0;
}

/** What changed while this device was asleep, from the record and from how things stand now. */
export function asleepView(source: ViewSource, sleeps: readonly Sleep[]): AsleepView {
  const [first] = sleeps;
  const last = sleeps.at(-1);
  const sequence = sequenceOf(source);
  if (first === undefined || last === undefined) return { sequence, summary: null };
  const entries = entriesSince(source, first.fromSeq);
  const { runs, answers } = doneElsewhere(sleeps, entries);
  const ofTheirOwn = [...runs].toReversed().flatMap(([runId, deviceId]) => runOf(source, runId, deviceId));
  const summary: AsleepSummary = {
    fromMs: first.fromMs,
    untilMs: last.untilMs,
    asleepMs: sleeps.reduce((sum, sleep) => sum + sleep.asleepMs, 0),
    rights: rightsOf(source, sleeps),
    runs: ofTheirOwn.slice(0, RUNS_SHOWN),
    runCount: ofTheirOwn.length,
    isMore: entries.length === ENTRIES_MAX,
    missed: missedOf(source, { first, last }),
    answered: countsOf(source, answers),
  };
  return { sequence, summary: isAnythingChanged(summary) ? summary : null };
}

function entriesSince(source: ViewSource, fromSeq: number): readonly AsleepEntry[] {
  return readAll<{ [Key in keyof AsleepEntry]: AsleepEntry[Key] }>(
    source.connection.db,
    `SELECT device_id AS deviceId, kind, run_id AS runId, wall_ms AS atMs,
       iif(json_extract(payload, '$.standingId') IS NULL,
         coalesce(json_extract(payload, '$.approvalId'), json_extract(payload, '$.attemptToken')), NULL) AS questionId
       FROM ops WHERE seq > ? AND device_id <> ? AND kind NOT LIKE 'sync.%' ORDER BY seq LIMIT ?`,
    fromSeq,
    source.device.deviceId,
    ENTRIES_MAX,
  );
}

/** What this device had before, and what it is not sure of now. */
function rightsOf(source: ViewSource, sleeps: readonly Sleep[]): readonly AsleepRight[] {
  const agentIds = [...new Set(sleeps.flatMap((sleep) => sleep.heldAgentIds))];
  return agentIds.flatMap((agentId): AsleepRight[] => {
    const agentName = findAgent(source.connection.db, agentId)?.name ?? agentId;
    const { held } = source.leaseStatus(agentId);
    if (held?.standing.kind === 'doubtful') return [{ agentId, agentName, state: 'doubtful', deviceName: '' }];
    const { holder } = whereOf(source, agentId);
    if (holder === null) return [];
    return [{ agentId, agentName, state: 'gone', deviceName: deviceNameOf(source, holder) }];
  });
}

/** A branch is told with its run. */
function runOf(source: ViewSource, runId: string, deviceId: string): readonly AsleepRun[] {
  const run = findRun(source.connection.db, runId);
  if (run === null || run.parent_run_id !== null) return [];
  const { run_number: number, title } = run;
  return [{ runId, number, title, status: standingOf(source, run), deviceName: sharedNameOf(source, deviceId) }];
}

function missedOf(source: ViewSource, of: { readonly first: Sleep; readonly last: Sleep }): readonly MissedRow[] {
  const rows = readAll<MissedRecord>(
    source.connection.db,
    `SELECT * FROM missed_slots WHERE seq > ? AND due_at_ms BETWEEN ? AND ? AND state IN ('open', 'waiting')
       ORDER BY seq DESC LIMIT ?`,
    of.first.fromSeq,
    of.first.fromMs,
    of.last.untilMs,
    MISSED_SHOWN,
  );
  return rows.map((row) => missedRow(source, row));
}

function countsOf(source: ViewSource, answers: ReadonlyMap<string, string>): AsleepSummary['answered'] {
  const counts = new Map<string, number>();
  for (const deviceId of answers.values()) counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1);
  return [...counts].map(([deviceId, count]) => ({ deviceName: sharedNameOf(source, deviceId), count }));
}
