import type { RecordedEvent } from '../../shared/contract/events.ts';
import { effectOf } from '../../shared/contract/events.ts';
import type { EarlierView } from '../../shared/contract/views.ts';
import { readAll, readOne } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';
import { eventOf } from '../store/journal-rows.ts';
import type { RunRecord } from '../store/rows.ts';

/** The most events of one run that a screen works through, newest kept. The whole of it is in the export. */
const RUN_EVENT_LIMIT = 5_000;
/** The most lines of evidence in one answer, newest kept. */
const EVIDENCE_LIMIT = 1_000;
/** Longer texts inside the evidence are left to `text.get`, bytes. */
const EVIDENCE_TEXT_BYTES = 16 * 1024;

type OpRow = Parameters<typeof eventOf>[0];

/** The events of one run in order, with what happened to its agent's right to act, stops and pauses meanwhile. */
export function runEvents(db: Connection['db'], run: RunRecord): RecordedEvent[] {
  const own = readAll<OpRow>(
    db,
    'SELECT * FROM (SELECT * FROM ops WHERE run_id = ? ORDER BY seq DESC LIMIT ?) ORDER BY seq',
    run.run_id,
    RUN_EVENT_LIMIT,
  );
  const first = own[0]?.seq ?? 0;
  const last = run.ending === null ? Number.MAX_SAFE_INTEGER : (own.at(-1)?.seq ?? 0);
  const leases = readAll<OpRow>(
    db,
    `SELECT * FROM (SELECT * FROM ops WHERE run_id IS NULL AND seq BETWEEN ? AND ?
       AND (kind LIKE 'lease.%' OR kind IN ('agent.stop-requested', 'agent.pause-requested', 'agent.resumed'))
       AND coalesce(json_extract(payload, '$.agentId'), ?) = ? ORDER BY seq DESC LIMIT ?) ORDER BY seq`,
    first,
    last,
    run.agent_id,
    run.agent_id,
    RUN_EVENT_LIMIT,
  );
  return [...own, ...leases].toSorted((one, other) => one.seq - other.seq).map((row) => eventOf(row));
}

/** What lies before the shown part of a run: it must never look like the whole. */
export function earlierOf(
  db: Connection['db'],
  run: RunRecord,
  shown: { readonly events: readonly RecordedEvent[]; readonly steps: number; readonly why: number },
): EarlierView {
  const count = (sql: string, ...more: readonly unknown[]): number =>
    readOne<{ count: number }>(db, `SELECT count(*) AS count FROM ${sql}`, run.run_id, ...more)?.count ?? 0;
  const timeline = count('ops WHERE run_id = ? AND seq < ?', shown.events[0]?.seq ?? 0);
  if (timeline === 0 && shown.events.length <= EVIDENCE_LIMIT) return { timeline, evidence: 0, steps: 0, why: 0 };
  return {
    timeline,
    evidence: timeline + Math.max(0, shown.events.length - EVIDENCE_LIMIT),
    steps: Math.max(0, count('visits WHERE run_id = ?') - shown.steps),
    // The newest may wait for its first answer.
    why: Math.max(0, count(`attempts WHERE run_id = ? AND progress = 'settled'`) - shown.why),
  };
}

/** The raw events for a screen: long texts are cut out, their digests stay. */
export function evidenceOf(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return events.slice(-EVIDENCE_LIMIT).map((event) => withoutLongTexts(event));
}

function withoutLongTexts(event: RecordedEvent): RecordedEvent {
  switch (event.kind) {
    case 'intent.recorded':
    case 'approval.requested':
      if (event.payload.input.bytes <= EVIDENCE_TEXT_BYTES) return event;
      return {
        ...event,
        payload: { ...event.payload, input: { ...event.payload.input, inline: null } },
      } as RecordedEvent;
    case 'settle.recorded':
    case 'settle.late-evidence':
    case 'run.concluded':
      if (event.payload.output.bytes <= EVIDENCE_TEXT_BYTES) return event;
      return {
        ...event,
        payload: { ...event.payload, output: { ...event.payload.output, inline: null } },
      } as RecordedEvent;
    default:
      return event;
  }
}

/** The key of the effect that an event is about. */
export function effectKeyOfEvent(event: RecordedEvent): string | null {
  return effectOf(event)?.effectKey ?? null;
}

/** The token of the attempt that an event is about. */
export function attemptTokenOf(event: RecordedEvent): string | null {
  return 'attemptToken' in event.payload ? event.payload.attemptToken : null;
}

/** What a person decided is settled by the same press: the entry says once more what the decision has just said. */
export function repeatsDecision(event: RecordedEvent): boolean {
  return event.kind === 'settle.recorded' && event.payload.settledBy === 'person';
}
