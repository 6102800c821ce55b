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
import type { PipelineState } from './pipeline.ts';

/**
 * The tenth word: brings a tail that lives elsewhere up to what this device's own journal knows. A crash between announce
 * and the first commit leaves an open entry that its own device knows never started; a crash between the settlement and
 * the tail leaves one that it knows how it ended (protocol section 2). Entries of other devices are left to the fence. Answers
 * whether the register has heard all of it.
 */
export async function reconcileTail(
  ports: HostPorts,
  held: HeldLease,
  of: { view: Pick<RegisterView, 'tail' | 'frontier'>; isInFlight: (attemptToken: AttemptToken) => boolean },
): Promise<boolean> {
  const { coordinator, device } = ports;
  if (coordinator.inside !== null) return true;
  if (!(await noteLoss(ports, held, of.view))) return false;
  const settle = async (entry: TailEntry): Promise<boolean> => {
    const connection = ports.store.connection();
    if (connection === null) return false;
    if (entry.status !== 'open' || entry.deviceId !== device.deviceId) return true;
    const status = ownStatus(connection, entry, held.agentId);
    if (status === null) return true;
    const { opId, journalSeq: seq } = connection.journal.head;
    const { effect, attemptToken } = entry;
    const { deviceId } = device;
    const known = { effect, attemptToken, status, opId, seq };
    return (await coordinator.ask(held.agentId, { verb: 'settle-tail', ...known, deviceId, epoch: held.epoch })).ok;
  };
  // All at once: the loop that keeps the lease alive waits for it. What this very process announced a moment ago and has
  // not written down yet is no crash.
  const told = await Promise.all(of.view.tail.filter((entry) => !of.isInFlight(entry.attemptToken)).map(settle));
  return told.every(Boolean);
}

/**
 * An answer got lost, of an announce or of a settlement: the entry may stand there open, in the way of whatever follows it under
 * the same grant, and of the next holder. The register is asked what it has, and told what this record knows.
 */
export async function tellUntold(
  { ports, leases, untold }: Pick<PipelineState, 'ports' | 'leases' | 'untold'>,
  agentId: AgentId,
): Promise<void> {
  if (!untold.has(agentId)) return;
  const held = leases.held(agentId);
  // With the next grant everything is told that there is.
  if (held === null) return void untold.delete(agentId);
  const looked = await ports.coordinator.current(agentId);
  if (!looked.ok) return;
  // What gets lost from now on is told with the next pass.
  untold.delete(agentId);
  leases.see(agentId, looked.value);
  const isTold = await reconcileTail(ports, held, { view: looked.value, isInFlight: leases.isInFlight });
  if (!isTold) untold.add(agentId);
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
