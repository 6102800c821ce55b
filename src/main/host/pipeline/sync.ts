import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { HeldLease } from '../../../shared/core/lease/held-lease.ts';
import type { TailEntry } from '../../../shared/core/lease/register.ts';
import { findAttempt, outcomeOf } from '../../store/rows.ts';
import type { Connection } from '../../store/connection.ts';
import type { HostPorts } from '../ports.ts';

/**
 * The tenth word: brings a tail that lives elsewhere up to what this device's own journal knows. A crash between announce
 * and the first commit leaves an open entry that its own device knows never started; a crash between the settlement and
 * the tail leaves one that it knows how it ended (protocol section 2). Entries of other devices are left to the fence.
 */
export async function reconcileTail(ports: HostPorts, held: HeldLease, tail: readonly TailEntry[]): Promise<void> {
  const { coordinator, device } = ports;
  if (coordinator.inside !== null) return;
  for (const entry of tail) {
    const connection = ports.store.connection();
    if (entry.status !== 'open' || entry.deviceId !== device.deviceId || connection === null) continue;
    const status = ownStatus(connection, entry, held.agentId);
    if (status === null) continue;
    const { opId, seq } = connection.journal.head;
    const { effect, attemptToken } = entry;
    await coordinator.ask(held.agentId, {
      verb: 'settle-tail',
      effect,
      attemptToken,
      status,
      opId,
      seq,
      deviceId: device.deviceId,
      epoch: held.epoch,
    });
  }
}

/** What this device's journal knows about its own entry; `null` if it does not know how it ended. */
function ownStatus({ db }: Connection, entry: TailEntry, agentId: AgentId): 'committed' | 'failed' | null {
  if (entry.effect.agentId !== agentId) return null;
  const attempt = findAttempt(db, entry.attemptToken);
  if (attempt === null) return 'failed';
  if (attempt.progress !== 'settled') return null;
  const outcome = outcomeOf(attempt);
  if (outcome === null || outcome.kind === 'unclear') return null;
  return outcome.kind === 'success' ? 'committed' : 'failed';
}
