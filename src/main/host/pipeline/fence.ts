import { leavesATrace } from '../../../shared/core/effect/effect-kind.ts';
import { lastLook } from '../../../shared/core/fence/last-look.ts';
import type { LastLook } from '../../../shared/core/fence/last-look.ts';
import type { ClockReading } from '../../../shared/core/lease/clock.ts';
import type { HeldLease } from '../../../shared/core/lease/held-lease.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RegisterAnswer } from '../../coordinators/lease-coordinator.ts';
import { grantNow } from '../../store/grant-now.ts';
import type { HostPorts } from '../ports.ts';
import type { Stops } from '../stops.ts';
import type { EffectPlan } from './intent.ts';
import type { LeaseKeeper } from './lease.ts';

/**
 * The one linearizable operation on a register that lives elsewhere: `announce` for effects, `current` for calls that only
 * read. `null` where the register shares the store's database: there the announce is part of the first transaction.
 */
export async function announce(
  ports: HostPorts,
  plan: EffectPlan,
  held: HeldLease,
): Promise<Result<RegisterAnswer | null, Problem>> {
  const { coordinator, device } = ports;
  if (coordinator.inside !== null) return ok(null);
  const { effect, attemptToken, inputDigest, effectKind } = plan.intent;
  if (!leavesATrace(effectKind)) {
    const view = await coordinator.current(effect.agentId);
    return view.ok ? ok({ reply: { kind: 'announced', isReplay: true }, view: view.value }) : view;
  }
  const entry = { effect, attemptToken, digest: inputDigest };
  return coordinator.ask(effect.agentId, {
    verb: 'announce',
    deviceId: device.deviceId,
    epoch: held.epoch,
    entry,
    permit: plan.permit,
  });
}

/** The last look before the send, with this claim's own deadline, and with what was pressed since. */
export function lookOnceMore(
  state: { readonly ports: HostPorts; readonly leases: LeaseKeeper; readonly stops: Stops },
  plan: EffectPlan,
  seen: { held: HeldLease; fenceAt: ClockReading; isSuspendSeen: boolean },
): LastLook {
  const { ports, leases, stops } = state;
  const { held, fenceAt, isSuspendSeen } = seen;
  const now = ports.clock.read();
  return lastLook({
    fenceAt,
    now,
    nowInstant: { bootId: leases.bootId, bootMs: now.bootMs },
    claimUntil: leases.claimUntil(held),
    isSuspendSeen,
    isStopRequested: stops.isStopped(plan.intent.effect),
    isPermitted: !stops.isRevoking(held.agentId) && isStillPermitted(ports, plan),
  });
}

/**
 * Whether the permission that the gate saw has not been taken back or run out since. While the record is being opened again
 * what the gate saw stands: it was durable a moment ago.
 */
function isStillPermitted({ store }: HostPorts, { run }: EffectPlan): boolean {
  const connection = store.connection();
  return connection === null || grantNow(connection, run.agent_id, run.revision_digest).standing.kind === 'in-force';
}
