import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { foldedUpTo } from '../../store/foreign-journals.ts';
import type { PipelineState } from '../pipeline/pipeline.ts';

/**
 * Tells registers that live elsewhere what a relay holds: entries of their tails that every later holder will find in a
 * journal are dropped, and the frontier says how far that holder has to have folded (protocol section 4).
 */
export async function pruneTails(state: PipelineState, pushedSeq: number, heads: Frontier): Promise<void> {
  const { ports, leases } = state;
  const connection = ports.store.connection();
  if (ports.coordinator.inside !== null || connection === null) return;
  const { deviceId } = ports.device;
  const folded = { ...foldedUpTo(connection.db), [deviceId]: pushedSeq };
  const held = { ...heads, [deviceId]: pushedSeq };
  for (const agentId of leases.agents()) {
    const lease = leases.held(agentId);
    const tail = leases.status(agentId).view?.tail ?? [];
    if (lease === null) continue;
    const settled = new Map<typeof deviceId, number>();
    for (const entry of tail) {
      const upTo = Math.min(knownUpTo(folded, entry.deviceId), knownUpTo(held, entry.deviceId));
      if (entry.seq !== null && entry.seq <= upTo) settled.set(entry.deviceId, upTo);
    }
    for (const [ofDeviceId, uptoSeq] of settled) {
      const verb = { verb: 'prune-tail', deviceId, epoch: lease.epoch, uptoSeq, ofDeviceId } as const;
      const answer = await ports.coordinator.ask(agentId, verb);
      // Not knowing is no harm: what was not dropped is dropped with the next pass.
      if (answer.ok) leases.see(agentId, answer.value.view);
    }
  }
}
