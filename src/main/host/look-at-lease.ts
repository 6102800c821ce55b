import { isDeepStrictEqual } from 'node:util';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { PipelineState } from './pipeline/pipeline.ts';

/**
 * Looks at what the register holds for an agent that this device does not hold, for whoever watches. Answers whether there
 * is anything new to show.
 */
export async function lookAtLease({ ports, leases }: PipelineState, agentId: AgentId): Promise<boolean> {
  // What a grant that is being asked for at this moment comes to is for its own answer to say: a look that overtakes that
  // answer would make the grant look like one that somebody had seen before.
  const isOurs = (): boolean =>
    leases.held(agentId) !== null || leases.isAsking(agentId) || leases.highWater.isElsewhere(agentId);
  if (isOurs()) return false;
  const wasReachable = leases.isReachable;
  const looked = await ports.coordinator.current(agentId);
  if (!looked.ok) {
    leases.unreachable(looked.error);
    return wasReachable;
  }
  if (isOurs()) return false;
  leases.isReachable = true;
  const before = leases.status(agentId).view;
  leases.see(agentId, looked.value);
  await leases.highWater.observe(agentId, looked.value);
  return !wasReachable || !isDeepStrictEqual(before, looked.value);
}
