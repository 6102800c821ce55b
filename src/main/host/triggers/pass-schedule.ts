import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { Schedule } from '../../../shared/contract/triggers.ts';
import { due } from '../../../shared/core/trigger/due.ts';
import type { DueDecision, DueFacts, TriggerStand } from '../../../shared/core/trigger/due.ts';
import type { Slot } from '../../../shared/core/trigger/slots.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import { waitingSlots } from '../../store/trigger-rows.ts';
import type { TriggerRecord } from '../../store/trigger-rows.ts';
import { fireTrigger } from '../pipeline/trigger.ts';
import type { HostPorts } from '../ports.ts';
import { definitionOf } from './definitions.ts';
import { missedReasonOf, recordMissedOccurrence, recordTrouble } from './record-missed.ts';
import { scheduleClock } from './schedule-clock.ts';

type Missed = EventPayloads['trigger.missed'];

/** How a run says what started it. */
export function byTrigger(kind: TriggerRecord['kind'], triggerId: string): string {
  const words = { schedule: 'its schedule', file: 'a file, for', webhook: 'a call to', run: 'the end of a run, for' };
  return `${words[kind]} “${triggerId}”`;
}

/**
 * Fires what is due on one schedule and writes down what was missed. What could not be made durable is left as it was, with
 * everything after it, and comes up again. Answers when the schedule is due next, wall ms.
 */
export async function passSchedule(
  ports: HostPorts,
  trigger: TriggerRecord,
  of: { readonly stand: TriggerStand; readonly isLastChance?: boolean },
): Promise<number | null> {
  const schedule = definitionOf(ports, trigger, 'schedule');
  const clock = schedule === null ? null : scheduleClock(schedule);
  const connection = ports.store.connection();
  if (schedule === null || clock === null || !clock.ok) {
    const detail = clock === null || clock.ok ? 'The revision that was permitted cannot be read.' : clock.error;
    await recordTrouble(ports, trigger, { slot: 'the schedule itself', reason: 'strategy-broken', detail });
    return null;
  }
  if (connection === null) return null;
  const nowMs = ports.clock.read().wallMs;
  const { missed_reason: reason, missed_at_ms: recordedAtMs } = trigger;
  const isTold = reason !== null && recordedAtMs !== null && of.isLastChance !== true;
  const facts: DueFacts = {
    policy: schedule.missed,
    stand: of.stand,
    nowMs,
    settledUpToMs: trigger.settled_up_to,
    ...clock.value.between(trigger.settled_up_to, nowMs),
    waiting: waitingSlots(connection.db, trigger).map((row) => ({ slot: row.slot, atMs: row.due_at_ms })),
    lastMissed: isTold ? { reason, recordedAtMs } : null,
  };
  const decisions = due(facts);
  if (await writeMissed(ports, trigger, { decisions, nowMs })) await fireSlots(ports, trigger, { decisions, schedule });
  return clock.value.next(Math.max(nowMs, trigger.settled_up_to))?.atMs ?? null;
}

async function writeMissed(
  ports: HostPorts,
  trigger: TriggerRecord,
  of: { readonly decisions: readonly DueDecision[]; readonly nowMs: number },
): Promise<boolean> {
  const missed = of.decisions.flatMap((decision) => missedPayload(trigger, decision, of.nowMs));
  if (missed.length === 0) return true;
  const written = await ports.store.write(({ journal }) => {
    for (const payload of missed) journal.append('trigger.missed', payload);
  });
  return written.ok;
}

function missedPayload(trigger: TriggerRecord, decision: DueDecision, nowMs: number): Missed[] {
  const { agent_id: agentId, trigger_id: triggerId, kind } = trigger;
  const about = { agentId, kind, triggerId, noticedAtMs: nowMs, detail: '' } as const;
  const one = { slotCount: 1, isMore: false, isWaiting: false } as const;
  switch (decision.kind) {
    case 'fire':
      return [];
    case 'clock-went-back': {
      const times = { dueAtMs: trigger.settled_up_to, firstDueAtMs: nowMs, settledUpTo: nowMs };
      const slot = `clock ${trigger.settled_up_to}`;
      return [{ ...about, ...one, ...times, slot, source: null, reason: decision.kind }];
    }
    case 'cover': {
      const { slot, atMs } = decision.slot;
      const times = { dueAtMs: atMs, firstDueAtMs: atMs, settledUpTo: null };
      return [{ ...about, ...one, ...times, slot, source: { by: 'schedule', triggerId, slot }, reason: 'covered' }];
    }
    case 'missed': {
      const { slots, reason, isWaiting, isMore } = decision;
      const newest = slots.at(-1);
      if (newest === undefined) return [];
      const { slot, atMs } = newest;
      const times = { dueAtMs: atMs, firstDueAtMs: slots[0]?.atMs ?? atMs, settledUpTo: atMs };
      const source = { by: 'schedule', triggerId, slot } as const;
      return [{ ...about, ...times, slot, source, slotCount: slots.length, isMore, reason, isWaiting }];
    }
    default:
      return assertNever(decision);
  }
}

/** One after the other: a slot after one that is still open must not settle it as well. */
async function fireSlots(
  ports: HostPorts,
  trigger: TriggerRecord,
  of: { readonly decisions: readonly DueDecision[]; readonly schedule: Schedule },
): Promise<void> {
  for (const decision of of.decisions) {
    if (decision.kind !== 'fire') continue;
    const isSettled = await fireSlot(ports, trigger, { slot: decision.slot, schedule: of.schedule, settles: true });
    if (!isSettled) return;
  }
}

/** Fires one slot. Answers whether it is settled: by its run, or by a line that says why there is none. */
export async function fireSlot(
  ports: HostPorts,
  trigger: TriggerRecord,
  of: { readonly slot: Slot; readonly schedule: Schedule; readonly settles: boolean },
): Promise<boolean> {
  const { agent_id: agentId, trigger_id: triggerId } = trigger;
  const { slot, atMs } = of.slot;
  const source = { by: 'schedule', triggerId, slot } as const;
  const settles = of.settles ? { settledUpTo: atMs } : {};
  const request = { agentId, source, input: of.schedule.input, by: byTrigger('schedule', triggerId), ...settles };
  const fired = await fireTrigger(ports, request);
  if (fired.ok && fired.value.isNew) return true;
  // A run of that name from before: the calendar was ahead, or the agent was changed since.
  const reason = fired.ok ? 'already-ran' : missedReasonOf(fired.error);
  if (reason === null) return false;
  const detail = fired.ok ? '' : fired.error.message;
  return await recordMissedOccurrence(ports, { trigger, source, reason, detail, ...settles });
}
