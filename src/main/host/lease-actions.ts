import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { HOLD_OFF_MS, LEASE_TTL_MS } from '../../shared/core/lease/lease.ts';
import { EPOCH_BUMP } from '../../shared/core/lease/move.ts';
import type { RegisterReply } from '../../shared/core/lease/register.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HostControl } from './control.ts';
import type { PipelineState } from './pipeline/pipeline.ts';

const UNKNOWN = problem(
  'register-unreachable',
  'The register did not answer, so nobody knows whether it was done.',
  'Nothing was sent. Look again in a moment, then decide.',
);
const CHANGED = problem(
  'changed',
  'The right to act has changed since you looked.',
  'Nothing was done. Look at who has it now.',
);

type LeaseActions = Pick<HostControl, 'takeOver' | 'setTakeover' | 'bump'>;

/** What a person does with the right to act for an agent (protocol section 5, rules 5, 7 and 12). */
export function leaseActions(state: PipelineState, wake: () => void): LeaseActions {
  const { ports, leases } = state;
  return {
    async takeOver({ agentId, seenEpoch, ttlMs, by }) {
      if (state.isMoving) return err(MOVING);
      if (leases.held(agentId) !== null) return err(problem('changed', 'This device has the right to act already.'));
      if (leases.highWater.isElsewhere(agentId)) return err(ELSEWHERE);
      if (leases.highWater.wentBack(agentId)) return err(WENT_BACK);
      const reply = await leases.takeOver(agentId, { seenEpoch, ttlMs: ttlMs ?? LEASE_TTL_MS, by });
      wake();
      if (reply === null) return err(UNKNOWN);
      return reply.kind === 'granted' ? ok({ waitsMs: reply.holdOff ? HOLD_OFF_MS : 0 }) : err(refusalOf(reply));
    },
    async setTakeover({ agentId, takeover, by }) {
      if (leases.highWater.isElsewhere(agentId)) return err(ELSEWHERE);
      const { deviceId } = ports.device;
      const asked = await ports.coordinator.ask(agentId, { verb: 'set-takeover', deviceId, takeover });
      if (!asked.ok) return asked;
      leases.see(agentId, asked.value.view);
      const written = await ports.store.write(({ journal }) =>
        journal.append('lease.takeover-set', { agentId, takeover, by }),
      );
      return written.ok ? ok(null) : written;
    },
    async bump(agentId, by) {
      const raised = await raise(state, agentId);
      if (!raised.ok) return raised;
      const { identity } = ports.coordinator;
      const written = await ports.store.write(({ journal }) =>
        journal.append('lease.bumped', { agentId, ...identity, epoch: raised.value, by }),
      );
      if (!written.ok) return written;
      leases.highWater.isRaised(agentId);
      wake();
      return ok(null);
    },
  };
}

const MOVING = problem('changed', 'The agents are being moved to another register.', 'Wait until that is done.');
const ELSEWHERE = problem(
  'not-offered',
  'This agent belongs to another register than the one in use.',
  'Choose that register under “Settings”, or move the agent from there.',
);
const WENT_BACK = problem(
  'register-went-back',
  'The register answered with an older state than this device has seen.',
  'Check that it is the right one, then raise it.',
);

function refusalOf(reply: RegisterReply): Problem {
  return reply.kind === 'moved' ? ELSEWHERE : CHANGED;
}

/** The epoch that the agent stands at, above everything that this device ever saw. */
async function raise(state: PipelineState, agentId: AgentId): Promise<Result<number, Problem>> {
  const { ports, leases } = state;
  if (leases.highWater.isElsewhere(agentId)) return err(ELSEWHERE);
  const seen = leases.highWater.seen(agentId);
  if (seen === null || !leases.highWater.wentBack(agentId)) {
    return err(problem('not-offered', 'This register did not go back for this agent.', 'Nothing has to be raised.'));
  }
  const looked = await ports.coordinator.current(agentId);
  if (!looked.ok) return looked;
  // Another device has raised it: no agent comes that far by being granted.
  if (looked.value.epoch > seen.epoch + EPOCH_BUMP / 2) return ok(looked.value.epoch);
  const asked = await ports.coordinator.ask(agentId, {
    verb: 'bump',
    deviceId: ports.device.deviceId,
    seenEpoch: looked.value.epoch,
    aboveEpoch: seen.epoch,
  });
  if (!asked.ok) return asked;
  leases.see(agentId, asked.value.view);
  const { reply } = asked.value;
  return reply.kind === 'bumped' ? ok(reply.epoch) : err(refusalOf(reply));
}
