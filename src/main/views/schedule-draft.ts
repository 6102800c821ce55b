import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { ScheduleDraftView } from '../../shared/contract/schedule-views.ts';
import type { NewSchedule } from '../../shared/contract/triggers.ts';
import { scheduleClock } from '../host/triggers/schedule-clock.ts';
import type { ScheduleClock } from '../host/triggers/schedule-clock.ts';
import { findAgent, findSource } from '../store/rows.ts';
import { addSchedule } from '../strategy/add-schedule.ts';
import { scheduleWords } from './schedule-words.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

const NEXT_TIMES = 3;

/** What a schedule would mean, and the file of its agent with it; `null` where there is no such agent. Nothing is saved. */
export function scheduleDraftView(
  source: ViewSource,
  request: NewSchedule & { readonly agentId: AgentId },
): ScheduleDraftView | null {
  const { db } = source.connection;
  const agent = findAgent(db, request.agentId);
  const text = agent === null ? null : findSource(db, agent.revision_digest);
  if (text === null) return null;
  const { agentId, ...schedule } = request;
  const clock = scheduleClock(schedule);
  const added = clock.ok ? addSchedule(text, schedule) : clock;
  if (!clock.ok || !added.ok) {
    return { sequence: sequenceOf(source), words: '', nextAtMs: [], file: null, problem: added.ok ? '' : added.error };
  }
  const ending = added.value.trimStart().startsWith('{') ? 'json' : 'yaml';
  return {
    sequence: sequenceOf(source),
    words: scheduleWords(schedule),
    nextAtMs: nextTimes(clock.value, source.nowMs),
    file: { fileName: `${agentId}.${ending}`, source: added.value },
    problem: '',
  };
}

function nextTimes(clock: ScheduleClock, nowMs: number): readonly number[] {
  const times: number[] = [];
  for (let atMs = nowMs; times.length < NEXT_TIMES;) {
    const next = clock.next(atMs);
    if (next === null) break;
    times.push((atMs = next.atMs));
  }
  return times;
}
