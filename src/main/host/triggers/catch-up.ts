import { nextCatchUp } from '../../../shared/core/trigger/due.ts';
import { openCatchUps, readTriggers, waitingSlots } from '../../store/trigger-rows.ts';
import { agentStand } from './agent-stand.ts';
import type { HostPorts } from '../ports.ts';
import { definitionOf } from './definitions.ts';
import { fireSlot } from './pass-schedule.ts';

/** Starts at most one run for a slot that was missed: the next one only after that, on this device over all schedules. */
export async function catchUp(ports: HostPorts): Promise<void> {
  const connection = ports.store.connection();
  if (connection === null) return;
  const { db } = connection;
  const open = openCatchUps(db);
  const nowMs = ports.clock.read().wallMs;
  for (const trigger of readTriggers(db)) {
    const waiting = waitingSlots(db, trigger);
    if (waiting.length === 0) continue;
    const { agent_id: agentId, trigger_id: triggerId } = trigger;
    const stand = agentStand(connection, ports, agentId);
    const slot = nextCatchUp({
      stand: stand === 'not-here' ? 'no-permission' : stand,
      nowMs,
      waiting: waiting.map((row) => ({ slot: row.slot, atMs: row.due_at_ms })),
      isOwnRunOpen: open.some((each) => each.agent_id === agentId && each.trigger_id === triggerId),
      isOtherRunActive: open.some((each) => each.isAtWork),
    });
    const schedule = definitionOf(ports, trigger, 'schedule');
    if (slot === null || schedule === null) continue;
    await fireSlot(ports, trigger, { slot, schedule, settles: false });
    return;
  }
}
