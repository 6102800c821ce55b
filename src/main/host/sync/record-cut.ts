import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId } from '../../../shared/contract/identifiers.ts';
import type { RegisterView } from '../../../shared/core/lease/lease.ts';
import { wasHeldOutside } from '../../../shared/core/sync/condensing.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { stableCut } from '../../../shared/core/sync/stable-cut.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RelayState } from '../../relays/relay.ts';
import { readAll } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { foldedUpTo } from '../../store/foreign-journals.ts';
import { agentsToCondense } from '../../store/transactions/condense-runs.ts';
import { haveOf } from './known-journals.ts';
import { readSyncDevices } from './roster.ts';

/** Everybody whose journal is here, who joined, or who was let go. */
function knownDevices(connection: Connection, { members }: RelayState): ReadonlySet<string> {
  return new Set<string>([
    connection.journal.deviceId,
    ...readSyncDevices(connection).map((device) => device.device_id),
    ...Object.keys(foldedUpTo(connection.db)),
    ...members.map((member) => member.deviceId),
  ]);
}

/** Up to where a record may be condensed: what every device that takes part has, and nothing of one that is out of sight. */
export function cutOf(connection: Connection, state: RelayState): Frontier {
  const { db, journal } = connection;
  const roster = readSyncDevices(connection);
  const letGo = new Set(roster.flatMap((device) => (device.let_go_at_ms === null ? [] : [device.device_id as string])));
  const members = [...knownDevices(connection, state)]
    .filter((deviceId) => deviceId !== journal.deviceId && !letGo.has(deviceId))
    .map((deviceId) => ({
      deviceId,
      acknowledged: state.members.find((member) => member.deviceId === deviceId)?.acknowledged ?? null,
    }));
  const ended = readAll<{ id: string; upTo: number }>(
    db,
    'SELECT device_id AS id, let_go_up_to AS upTo FROM sync_devices WHERE let_go_up_to IS NOT NULL',
  ).filter(({ id }) => id !== journal.deviceId);
  return stableCut({
    held: haveOf(connection),
    members,
    ended: Object.fromEntries(ended.map(({ id, upTo }) => [id, upTo])),
  });
}

/**
 * Agents that nobody ever held who is not known here: of others a stranger may have a part. Where the register does not answer,
 * nothing of an agent is dropped.
 */
export async function agentsHeldInside(
  connection: Connection,
  of: {
    readonly state: RelayState;
    readonly terms: { readonly retentionMs: number };
    readonly registerView: (agentId: AgentId) => Promise<Result<RegisterView, Problem>>;
    readonly log: (line: { event: string; code?: string; message?: string }) => void;
  },
): Promise<ReadonlySet<string>> {
  const known = knownDevices(connection, of.state);
  const inside = new Set<string>();
  for (const agentId of agentsToCondense(connection, connection.journal.nowMs() - of.terms.retentionMs)) {
    const view = await of.registerView(agentId);
    if (!view.ok) of.log({ event: 'not-condensed', code: view.error.code, message: view.error.message });
    else if (!wasHeldOutside(view.value, known)) inside.add(agentId);
  }
  return inside;
}
