import type { MissedRow, SchedulesView, TriggeredRun, TriggerRow } from '../../shared/contract/schedule-views.ts';
import { canRunLater } from '../../shared/core/trigger/missed.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { agentStand } from '../host/triggers/agent-stand.ts';
import type { AgentStand } from '../host/triggers/agent-stand.ts';
import { declaredTriggers, definitionOf } from '../host/triggers/definitions.ts';
import { scheduleClock } from '../host/triggers/schedule-clock.ts';
import { readAll } from '../store/connection.ts';
import { findAgent, findRun } from '../store/rows.ts';
import type { AgentRecord } from '../store/rows.ts';
import { readTriggers } from '../store/trigger-rows.ts';
import type { MissedRecord, TriggerRecord } from '../store/trigger-rows.ts';
import { statusOf } from './run-status.ts';
import { afterRunWords, fileWords, missedWords, POLICY_WORDS, scheduleWords } from './schedule-words.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The most missed slots in one answer. */
const MISSED_LIMIT = 300;

/** What starts agents by itself, when it does next, and what was missed. */
export function schedulesView(
  source: ViewSource,
  door: { readonly origin: string | null; readonly trouble: string },
): SchedulesView {
  const { db } = source.connection;
  const missed = readAll<MissedRecord>(
    db,
    `SELECT * FROM missed_slots ORDER BY state IN ('open', 'waiting') DESC, seq DESC LIMIT ?`,
    MISSED_LIMIT,
  );
  return {
    sequence: sequenceOf(source),
    triggers: triggersOf(source).map((trigger) => triggerRow(source, trigger)),
    missed: missed.map((each) => missedRow(source, each)),
    webhookOrigin: door.origin,
    webhookTrouble: door.trouble,
  };
}

/** The ones that count, and those that a revision declares and nobody has permitted yet. */
function triggersOf(source: ViewSource): TriggerRecord[] {
  const { db } = source.connection;
  const records = readTriggers(db);
  const known = new Set(records.map((each) => `${each.agent_id} ${each.kind} ${each.trigger_id}`));
  const agents = readAll<AgentRecord>(db, 'SELECT * FROM agents ORDER BY name, agent_id');
  return agents.flatMap((agent) => {
    const strategy = source.strategyOf(agent.revision_digest);
    const declared = strategy?.id === agent.agent_id ? declaredTriggers(strategy) : [];
    const others = declared
      .filter(({ kind, triggerId }) => !known.has(`${agent.agent_id} ${kind} ${triggerId}`))
      .map(({ kind, triggerId }): TriggerRecord => ({
        agent_id: agent.agent_id,
        kind,
        trigger_id: triggerId,
        revision_digest: agent.revision_digest,
        grant_digest: '' as TriggerRecord['grant_digest'],
        settled_up_to: 0,
        last_slot: null,
        last_run_id: null,
        missed_reason: null,
        missed_at_ms: null,
      }));
    return [...records.filter((each) => each.agent_id === agent.agent_id), ...others];
  });
}

function triggerRow(source: ViewSource, trigger: TriggerRecord): TriggerRow {
  const { agent_id: agentId, kind, trigger_id: triggerId } = trigger;
  const stand = agentStand(source.connection, source, agentId);
  const isOn = stand === 'ready' && trigger.grant_digest !== '';
  const schedule = definitionOf(source, trigger, 'schedule');
  return {
    agentId,
    agentName: nameOf(source, agentId),
    kind,
    triggerId,
    words: triggerWords(source, trigger),
    policy: schedule === null ? '' : POLICY_WORDS[schedule.missed],
    isOn,
    note: isOn ? '' : standWords(trigger.grant_digest === '' ? 'no-permission' : stand),
    nextAtMs: isOn ? nextOf(source, trigger) : null,
    lastRun: triggeredRun(source, trigger.last_run_id),
  };
}

function nextOf(source: ViewSource, trigger: TriggerRecord): number | null {
  const schedule = definitionOf(source, trigger, 'schedule');
  const clock = schedule === null ? null : scheduleClock(schedule);
  return clock?.ok === true ? (clock.value.next(Math.max(source.nowMs, trigger.settled_up_to))?.atMs ?? null) : null;
}

function triggerWords(source: ViewSource, trigger: TriggerRecord): string {
  const schedule = definitionOf(source, trigger, 'schedule');
  if (schedule !== null) return scheduleWords(schedule);
  const file = definitionOf(source, trigger, 'file');
  if (file !== null) return fileWords(file);
  const after = definitionOf(source, trigger, 'run');
  if (after !== null) return afterRunWords(after, nameOf(source, after.agent));
  const { agent_id: agentId, trigger_id: triggerId, kind } = trigger;
  if (kind === 'webhook') return `When a program calls /hooks/${encodeURIComponent(agentId)}/${triggerId}`;
  return 'It cannot be read any more';
}

function standWords(stand: AgentStand): string {
  switch (stand) {
    case 'ready':
      return 'It begins in a moment.';
    case 'no-permission':
      return 'Off: the agent has no permission to act as it is now.';
    case 'paused':
      return 'Paused: what is due meanwhile is listed as missed.';
    case 'strategy-broken':
      return 'Off: the agent cannot be read.';
    case 'not-here':
      return 'Only on other devices: the permission does not name this one.';
    default:
      return assertNever(stand);
  }
}

/** A missed occurrence, and what can still be done about it. */
export function missedRow(source: ViewSource, missed: MissedRecord): MissedRow {
  const { agent_id: agentId, kind, trigger_id: triggerId, slot, reason, state } = missed;
  return {
    agentId,
    agentName: nameOf(source, agentId),
    kind,
    triggerId,
    slot,
    reason,
    state,
    sentence: missedWords(reason, missed.detail),
    dueAtMs: missed.due_at_ms,
    firstDueAtMs: missed.first_due_at_ms,
    slotCount: missed.slot_count,
    isMore: missed.is_more === 1,
    canRun: missed.source !== null && canRunLater(kind, reason) && (state === 'open' || state === 'waiting'),
    run: triggeredRun(source, missed.run_id),
  };
}

/** Whether it ran, and how that ended, is the run's to say: that it was started says nothing. */
function triggeredRun(source: ViewSource, runId: string | null): TriggeredRun | null {
  const run = runId === null ? null : findRun(source.connection.db, runId);
  return run === null
    ? null
    : { runId: run.run_id, number: run.run_number, status: statusOf(source, run), startedAtMs: run.started_at_ms };
}

function nameOf(source: ViewSource, agentId: string): string {
  return findAgent(source.connection.db, agentId)?.name ?? agentId;
}
