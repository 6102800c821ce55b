import type { MovingAgent } from '../../../shared/contract/coordinator-views.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import { holdOffRemainingMs } from '../../../shared/core/lease/held-lease.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import type { AdoptedRecord } from '../../../shared/core/lease/register.ts';
import type { LeaseCoordinator } from '../../coordinators/lease-coordinator.ts';
import type { PipelineState } from '../pipeline/pipeline.ts';

/** What one try at moving an agent came to. */
export type AgentMove = Pick<MovingAgent, 'state' | 'sentence'>;

interface Way {
  readonly to: LeaseCoordinator;
  readonly name: string;
  readonly by: string;
}

const MOVED: AgentMove = { state: 'moved', sentence: 'Moved, with everything that other devices may not know yet.' };

/**
 * One try at moving one agent: given up for good where it is, taken in over there, written down here. Each part may be done
 * again after a crash or a lost answer, by any device, without a second grant anywhere.
 */
export async function moveAgent(state: PipelineState, agentId: AgentId, way: Way): Promise<AgentMove> {
  const { ports, leases } = state;
  const seen = leases.highWater.seen(agentId);
  if (seen !== null && isLifeOf(seen, way.to.identity)) return MOVED;
  const from = ports.coordinator.identity;
  if (seen !== null && seen.coordinatorId !== from.coordinatorId) {
    return failed('It belongs to a register that this device does not use now. Move it from there.');
  }
  if (leases.highWater.wentBack(agentId)) {
    return failed('Its register went back in time. Raise it first, then move it.');
  }
  const givenUp = await giveUp(state, agentId, way);
  if ('state' in givenUp) return givenUp;
  const taken = await way.to.ask(agentId, {
    verb: 'adopt',
    deviceId: ports.device.deviceId,
    source: from,
    from: givenUp,
  });
  if (!taken.ok) return waits(`${way.name} does not answer. ${taken.error.message}`);
  const { reply } = taken.value;
  if (reply.kind === 'held')
    return elsewhere('Another device acts for it there. It is taken in when that one lets go.');
  if (reply.kind === 'tail-full') return failed('Too many steps are still to be shared there. Nothing was lost.');
  if (reply.kind !== 'adopted') return failed('The new register refused it. Nothing was lost.');
  const { name, by } = way;
  const written = await ports.store.write(({ journal }) =>
    journal.append('lease.moved', { agentId, ...way.to.identity, name, epoch: reply.epoch, by }),
  );
  if (!written.ok) return waits(written.error.message);
  leases.highWater.isRaised(agentId);
  return MOVED;
}

/** What the old register had, once it grants the agent to nobody any more. */
async function giveUp(state: PipelineState, agentId: AgentId, way: Way): Promise<AdoptedRecord | AgentMove> {
  const { ports, leases } = state;
  const inFlight = [...state.inFlight.values()].filter((flight) => flight.attempt.effect.agentId === agentId).length;
  if (inFlight > 0) return { state: 'drains', sentence: 'It finishes what is on its way. Nothing new is sent.' };
  const looked = await ports.coordinator.current(agentId);
  if (!looked.ok) return waits(looked.error.message);
  const { movedTo } = looked.value;
  if (movedTo !== undefined && !isLifeOf(movedTo, way.to.identity)) {
    return failed(`It was moved to ${movedTo.name} before. Choose that one, or move it from there.`);
  }
  if (movedTo === undefined && !(await leases.ensure(agentId, undefined))) return notHeld(state, agentId);
  const held = leases.held(agentId);
  const isHoldOffOver = held === null || holdOffRemainingMs(held, ports.clock.read()) === 0;
  // Whatever becomes of it, this device does not act on that lease any more, and does not renew it.
  leases.forget(agentId);
  const retired = await ports.coordinator.ask(agentId, {
    verb: 'retire',
    deviceId: ports.device.deviceId,
    epoch: held?.epoch ?? looked.value.epoch,
    pendingClaims: 0,
    isHoldOffOver,
    to: { ...way.to.identity, name: way.name },
  });
  if (!retired.ok) return waits(retired.error.message);
  const { reply, view } = retired.value;
  if (reply.kind !== 'retired') return waits('The right to act had changed meanwhile. It is tried again.');
  return adoptedFrom(view, reply.isUnclean);
}

function adoptedFrom(view: RegisterView, isUnclean: boolean): AdoptedRecord {
  const { epoch, tail, frontier, takeover } = view;
  return { epoch, isUnclean, tail, frontier, ...(takeover === undefined ? {} : { takeover }) };
}

function notHeld({ leases, ports }: PipelineState, agentId: AgentId): AgentMove {
  const { view } = leases.status(agentId);
  if (view?.lease?.holder === ports.device.deviceId) {
    return waits('It is moved when the right to act that this device had before has run out.');
  }
  if (view?.takeover === 'by-person' && view.remainingMs <= 0) {
    return elsewhere('Another device had it, and it is only taken over by hand. Take it over first.');
  }
  return elsewhere('Another device acts for it now. It is moved when that one lets go, or by that device itself.');
}

function isLifeOf(one: CoordinatorIdentity, other: CoordinatorIdentity): boolean {
  return one.coordinatorId === other.coordinatorId && one.incarnation === other.incarnation;
}

function waits(sentence: string): AgentMove {
  return { state: 'waits', sentence };
}

function elsewhere(sentence: string): AgentMove {
  return { state: 'held-elsewhere', sentence };
}

function failed(sentence: string): AgentMove {
  return { state: 'failed', sentence };
}
