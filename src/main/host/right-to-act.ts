import type { AgentId } from '../../shared/contract/identifiers.ts';
import { HOLD_OFF_MS, LEASE_TTL_MS } from '../../shared/core/lease/lease.ts';
import type { LeaseStanding } from '../../shared/core/lease/held-lease.ts';
import type { PipelineState } from './pipeline/pipeline.ts';
import { sleep } from './timers.ts';

/** A decision waits this long for the right to act (an old lease and the hold-off after it), ms; and looks this often. */
const DECISION_WAIT_MS = LEASE_TTL_MS + HOLD_OFF_MS + 2_000;
const DECISION_POLL_MS = 50;

/** Waits for the right to act while it is being got back: a person who has decided should not have to press twice. */
export async function becomesHolder(
  state: PipelineState,
  agentId: AgentId,
  isEnough: (standing: LeaseStanding) => boolean,
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < DECISION_WAIT_MS; waitedMs += DECISION_POLL_MS) {
    if (isEnough(state.leases.standing(agentId))) return true;
    await sleep(state.ports.timers, DECISION_POLL_MS);
  }
  return false;
}
