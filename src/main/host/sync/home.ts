import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { CoordinatorIdentity } from '../../../shared/core/lease/lease.ts';
import { readAll } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { readProfile } from '../../store/profile-values.ts';
import { SHARING_KEY } from './kept-sharing.ts';

/**
 * Says to which register the agents belong that were never held, inside a write of the store: other devices know them as soon
 * as journals are shared, and each would ask its own register otherwise (protocol section 5, rule 11).
 */
export function claimHomes({ db, journal }: Connection, identity: CoordinatorIdentity): void {
  if (readProfile(db, SHARING_KEY) === null) return;
  const sql = `SELECT agent_id AS agentId FROM agents WHERE agent_id NOT IN (SELECT agent_id FROM high_water) ORDER BY agent_id`;
  for (const { agentId } of readAll<{ agentId: AgentId }>(db, sql)) {
    const { coordinatorId, incarnation } = identity;
    journal.append('lease.observed', { agentId, epoch: 0, coordinatorId, incarnation });
  }
}
