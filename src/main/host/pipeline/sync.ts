import type { AgentId, AttemptToken } from '../../../shared/contract/identifiers.ts';
import type { HeldLease } from '../../../shared/core/lease/held-lease.ts';
import type { RegisterView } from '../../../shared/core/lease/lease.ts';
import type { TailEntry, TailOutcome } from '../../../shared/core/lease/register.ts';
import { hasLostOwnPart } from '../../../shared/core/lease/tail.ts';
import { mayHaveForgotten, noteLostPart } from '../../store/lost-parts.ts';
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
  of: { view: Pick<RegisterView, 'tail' | 'frontier'>; isInFlight: (attemptToken: AttemptToken) => boolean },
): Promise<void> {
  const { coordinator, device } = ports;
  if (coordinator.inside !== null || !(await noteLoss(ports, held, of.view))) return;
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
  await Promise.all(of.view.tail.filter((entry) => !of.isInFlight(entry.attemptToken)).map(settle));
}

/** Keeps that a part of the own journal is lost, where the register shows it; answers whether that could be looked at. */
async function noteLoss(
  ports: HostPorts,
  { agentId, epoch }: HeldLease,
  view: Pick<RegisterView, 'tail' | 'frontier'>,
): Promise<boolean> {
  const { deviceId } = ports.device;
  const ownSeq = ports.store.connection()?.journal.head.journalSeq ?? null;
  if (ownSeq === null) return false;
  if (!hasLostOwnPart(view, { deviceId, ownSeq })) return true;
  ports.log({
    event: 'own-part-lost',
    message: `The register of ${agentId} knows more of this record than it holds itself.`,
  });
  const noted = await ports.store.write(({ db }) => noteLostPart(db, agentId, epoch));
  return noted.ok;
}

/** What this device's journal knows about its own entry; `null` if it does not know how it ended. */
function ownStatus(connection: Connection, entry: TailEntry, agentId: AgentId): TailOutcome | null {
  if (entry.effect.agentId !== agentId) return null;
  const attempt = findAttempt(connection.db, entry.attemptToken);
  // Unless the record has forgotten what it sent under that epoch: then the entry stands, and is in doubt like any other.
  if (attempt === null) return mayHaveForgotten(connection.db, entry) ? null : 'withdrawn';
  return tailStatusOf(connection, attempt);
}
