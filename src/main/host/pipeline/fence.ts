import { leavesATrace } from '../../../shared/core/effect/effect-kind.ts';
import { lastLook } from '../../../shared/core/fence/last-look.ts';
import type { LastLook } from '../../../shared/core/fence/last-look.ts';
import type { ClockReading } from '../../../shared/core/lease/clock.ts';
import type { HeldLease } from '../../../shared/core/lease/held-lease.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RegisterAnswer } from '../../coordinators/lease-coordinator.ts';
import type { HostPorts } from '../ports.ts';
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

/** The last look before the send, with this claim's own deadline. */
export function lookOnceMore(
  ports: HostPorts,
  leases: LeaseKeeper,
  look: { held: HeldLease; fenceAt: ClockReading; isSuspendSeen: boolean },
): LastLook {
  const { clock } = ports;
  const { held, fenceAt, isSuspendSeen } = look;
  const now = clock.read();
  const nowInstant = { bootId: leases.bootId, bootMs: now.bootMs };
  return lastLook({ fenceAt, now, nowInstant, claimUntil: leases.claimUntil(held), isSuspendSeen });
}
