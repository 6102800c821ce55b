import type { AwaitedEnds } from '../../store/transactions/condense-runs.ts';
import { readTriggerCursor, readTriggers } from '../../store/trigger-rows.ts';
import type { HostPorts } from '../ports.ts';
import { definitionOf } from './definitions.ts';

/** The ends of runs that something is still to follow on this device; of any agent where a trigger cannot be read. */
export function awaitedEnds(ports: Pick<HostPorts, 'store' | 'strategyOf'>): readonly AwaitedEnds[] {
  const db = ports.store.connection()?.db;
  if (db === undefined) return [{ agentId: null, afterSeq: 0 }];
  return readTriggers(db)
    .filter((trigger) => trigger.kind === 'run')
    .map((trigger) => {
      const { agent_id: agentId, trigger_id: triggerId } = trigger;
      const reached = readTriggerCursor(db, { agentId, triggerId });
      const agent = definitionOf(ports, trigger, 'run')?.agent ?? null;
      return { agentId: agent, afterSeq: Math.max(trigger.settled_up_to, reached) };
    });
}
