import type { AgentId } from '../../contract/identifiers.ts';
import type { CoordinatorIdentity, RegisterView } from './lease.ts';
import type { RegisterRecord } from './register.ts';

/** What a storage adds to its record for somebody who looks: whose register it is, and the time left by its own clock. */
export interface ViewFacts {
  readonly agentId: AgentId;
  readonly coordinator: CoordinatorIdentity;
  /** Time left by the register's own clock, ms; not above 0 when the lease has run out. Ignored when nobody holds it. */
  readonly remainingMs: number;
}

/** What everybody is shown of a record; every storage answers with it. `null`: the agent was never held here. */
export function registerView(record: RegisterRecord | null, facts: ViewFacts): RegisterView {
  const { agentId, coordinator } = facts;
  if (record === null) return { coordinator, lease: null, epoch: 0, remainingMs: 0, tail: [], frontier: {} };
  const { epoch, holder, nonce, ttlMs, tail, frontier, takeover, movedTo } = record;
  const lease = holder === null || nonce === null ? null : { agentId, holder, epoch, nonce, ttlMs };
  return {
    coordinator,
    lease,
    epoch,
    remainingMs: lease === null ? 0 : Math.max(0, facts.remainingMs),
    tail,
    frontier,
    ...(takeover === undefined ? {} : { takeover }),
    ...(movedTo === undefined ? {} : { movedTo }),
  };
}
