import { readAll } from '../../store/connection.ts';
import { grantNow } from '../../store/grant-now.ts';
import type { AgentRecord } from '../../store/rows.ts';
import { readTriggers } from '../../store/trigger-rows.ts';
import type { HostPorts } from '../ports.ts';
import { declaredTriggers } from './definitions.ts';
import { passSchedule } from './pass-schedule.ts';

/**
 * Lets the triggers of every agent count from the moment on at which this device sees its permission. What an earlier
 * permission had left open is written down first, so that nothing is lost between the two.
 */
export async function armTriggers(ports: HostPorts): Promise<void> {
  const connection = ports.store.connection();
  if (connection === null) return;
  for (const agent of readAll<AgentRecord>(connection.db, 'SELECT * FROM agents ORDER BY agent_id')) {
    const { agent_id: agentId, revision_digest: revisionDigest } = agent;
    const strategy = ports.strategyOf(revisionDigest);
    const { grant, standing } = grantNow(connection, agentId, revisionDigest);
    if (strategy === null || grant === null || standing.kind !== 'in-force') continue;
    const before = readTriggers(connection.db, agentId);
    const triggers = declaredTriggers(strategy);
    const grantDigest = grant.grant_digest;
    if (before.length === triggers.length && before.every((each) => each.grant_digest === grantDigest)) continue;
    for (const trigger of before) {
      if (trigger.kind === 'schedule')
        await passSchedule(ports, trigger, { stand: 'no-permission', isLastChance: true });
    }
    const fromMs = ports.clock.read().wallMs;
    await ports.store.write((within) => {
      // Another permission may have come meanwhile: then the next look does it.
      if (grantNow(within, agentId, revisionDigest).grant?.grant_digest !== grantDigest) return;
      within.journal.append('trigger.armed', { agentId, revisionDigest, grantDigest, fromMs, triggers });
    });
  }
}
