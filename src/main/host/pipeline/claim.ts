import type { ClaimOwner } from '../../../shared/core/claim/claim-effect.ts';
import type { HeldLease } from '../../../shared/core/lease/held-lease.ts';
import type { HostPorts } from '../ports.ts';

/** Who claims: this start of this host, under the epoch it holds. */
export function claimOwner(ports: HostPorts, held: HeldLease): ClaimOwner {
  return { deviceId: ports.device.deviceId, hostId: ports.hostId, epoch: held.epoch };
}
