import type { RecordedEvent } from '../../shared/contract/events.ts';
import type { TimelineRow } from '../../shared/contract/views.ts';
import { EFFECT_OUTCOME_UNKNOWN } from '../../shared/core/effect/effect-outcome.ts';
import { eventSentence } from './event-words.ts';
import type { EventNames } from './event-words.ts';
import { attemptTokenOf, effectKeyOfEvent, repeatsDecision } from './run-events.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { durationText } from './words.ts';

/** A silence longer than this is drawn, ms. */
const GAP_MS = 60_000;

/** The timeline of a run in the ten words, silences drawn as gaps. A gap's `seq` lies half a step before what ended it. */
export function timelineRows(events: readonly RecordedEvent[], names: EventNames): TimelineRow[] {
  const rows: TimelineRow[] = [];
  let before: RecordedEvent | null = null;
  for (const event of events) {
    const row = rowOf(event, names);
    if (row === null) continue;
    if (before !== null && row.mark !== 'gap') {
      const gap = gapBetween(before, event);
      if (gap !== null) rows.push(gap);
    }
    rows.push(row);
    before = event;
  }
  return rows;
}

/** One row; `null` for what a compact timeline leaves out. */
function rowOf(event: RecordedEvent, names: EventNames): TimelineRow | null {
  const said = repeatsDecision(event) ? null : eventSentence(event, names);
  return said === null ? null : { seq: event.seq, atMs: event.atMs, effectKey: effectKeyOfEvent(event), ...said };
}

function gapBetween(before: RecordedEvent, next: RecordedEvent): TimelineRow | null {
  const gapMs = next.atMs - before.atMs;
  if (gapMs <= GAP_MS) return null;
  const length = durationText(gapMs);
  return {
    seq: next.seq - 0.5,
    word: 'run',
    atMs: before.atMs,
    sentence: silence(before, length),
    measure: length,
    mark: 'gap',
    effectKey: null,
  };
}

function silence(before: RecordedEvent, length: string): string {
  if (before.kind === 'run.waiting') return `The run waited for ${length}`;
  if (before.kind === 'run.branching') return `Its branches went on for ${length}`;
  if (before.kind === 'run.retrying') return `It waited for ${length} before the next attempt`;
  if (before.kind === 'approval.requested') return `The question was open for ${length}`;
  if (before.kind === 'recovery.in-doubt' || before.kind === 'recovery.reopened')
    return `It was unclear for ${length}. Nothing was sent.`;
  if (before.kind === 'run.pause-requested') return `The run was paused for ${length}`;
  if (before.kind === 'effect.started') return `No answer for ${length}`;
  return `Nothing happened for ${length}`;
}

const OVER: ReadonlySet<string> = new Set(['settle.recorded', 'effect.withheld', 'recovery.in-doubt']);

/** The names that a run's sentences need, gathered from the run's own events. */
export function eventNames(
  source: ViewSource,
  events: readonly RecordedEvent[],
  stateTitle: (stateId: string) => string,
): EventNames {
  const attempts = new Map<string, { tool: string; title: string; number: number }>();
  const over = new Set<string>();
  const unsent = new Set<string>();
  for (const event of events) {
    if (event.kind === 'intent.recorded') {
      const { attemptToken, tool, title, attemptNumber } = event.payload;
      attempts.set(attemptToken, { tool, title, number: attemptNumber });
    }
    const token = attemptTokenOf(event);
    if (token === null) continue;
    if (OVER.has(event.kind)) over.add(token);
    const isSilent = event.kind === 'recovery.in-doubt' && event.payload.code === EFFECT_OUTCOME_UNKNOWN;
    if (isSilent || event.kind === 'effect.withheld') unsent.add(token);
  }
  return {
    deviceName: (deviceId) => deviceNameOf(source, deviceId),
    stateTitle,
    attempt: (token) => attempts.get(token) ?? null,
    isOver: (token) => over.has(token),
    mayNotHaveLeft: (token) => unsent.has(token),
  };
}
