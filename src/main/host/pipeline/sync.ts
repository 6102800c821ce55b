import type { AgentId, AttemptToken } from '../../../shared/contract/identifiers.ts';
import type { HeldLease } from '../../../shared/core/lease/held-lease.ts';
import type { TailEntry, TailOutcome } from '../../../shared/core/lease/register.ts';
import { findAttempt } from '../../store/rows.ts';
import { tailStatusOf } from '../../store/transactions/settle-effect.ts';
import type { Connection } from '../../store/connection.ts';
import type { HostPorts } from '../ports.ts';

/**
 * The tenth word: brings a tail that lives elsewhere up to what this device's own journal knows. A crash between announce
 * and the first commit leaves an open entry that its own device knows never started; a crash between the settlement and
 * the tail leaves one that it knows how it ended (protocol section 2). Entries of other devices are left to the fence.
 */
export async function reconcileTail(
  ports: HostPorts,
  held: HeldLease,
  of: { tail: readonly TailEntry[]; isInFlight: (attemptToken: AttemptToken) => boolean },
): Promise<void> {
  const { coordinator, device } = ports;
  if (coordinator.inside !== null) return;
  const settle = async (entry: TailEntry): Promise<void> => {
    const connection = ports.store.connection();
    if (entry.status !== 'open' || entry.deviceId !== device.deviceId || connection === null) return;
    const status = ownStatus(connection, entry, held.agentId);
    if (status === null) return;
    const { opId, journalSeq: seq } = connection.journal.head;
    const { effect, attemptToken } = entry;
    const { deviceId } = device;
    const known = { effect, attemptToken, status, opId, seq };
    await coordinator.ask(held.agentId, { verb: 'settle-tail', ...known, deviceId, epoch: held.epoch });
  };
  // All at once: the loop that keeps the lease alive waits for it. What this very process announced a moment ago and has
  // not written down yet is no crash.
  await Promise.all(of.tail.filter((entry) => !of.isInFlight(entry.attemptToken)).map(settle));
}

/** What this device's journal knows about its own entry; `null` if it does not know how it ended. */
function ownStatus(connection: Connection, entry: TailEntry, agentId: AgentId): TailOutcome | null {
  if (entry.effect.agentId !== agentId) return null;
  const attempt = findAttempt(connection.db, entry.attemptToken);
  if (attempt === null) return 'withdrawn';
  return tailStatusOf(connection, attempt);
}
