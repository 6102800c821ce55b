import type { AgentId } from '../../shared/contract/identifiers.ts';
import { coversFrontier } from '../../shared/core/sync/sealed.ts';
import type { PipelineState } from './pipeline/pipeline.ts';
import { haveOf } from './sync/known-journals.ts';

/** Whether nothing new may begin at all, whatever the record says. */
export function isHeldBack(state: Pick<PipelineState, 'isDraining' | 'isMoving' | 'isCatchingUp'>): boolean {
  return state.isDraining || state.isMoving || state.isCatchingUp();
}

/**
 * Whether the register names entries of others that are not folded here (protocol section 4, *behind*). The fence refuses
 * every effect then; and nothing may be concluded from what the record does not say: the rest of a journal may tell that a
 * claim was carried out after all, or that a question was answered and its step done.
 */
export function isBehind({ ports, leases }: Pick<PipelineState, 'ports' | 'leases'>, agentId: AgentId): boolean {
  const frontier = leases.status(agentId).view?.frontier ?? {};
  const connection = ports.store.connection();
  if (connection === null || Object.keys(frontier).length === 0) return false;
  return !coversFrontier(haveOf(connection), frontier);
}
