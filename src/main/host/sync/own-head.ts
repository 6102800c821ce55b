import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { openOperation } from '../../relays/seal/seal-operation.ts';
import { readOne } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { readCut } from '../../store/journal-cuts.ts';

/** An entry of a journal that is here, and what is needed to look for it on a relay. */
interface Place {
  readonly deviceId: DeviceId | string;
  readonly seq: number;
  /** What the relay holds of all devices: nothing else is asked for. */
  readonly heads: Frontier;
  readonly ring: KeyRing;
}

/**
 * Looks whether the last entry that a relay holds of this device is one of its own: a relay sees no chains, and would take the
 * entries of a second copy of this profile for the next ones. Error `relay-fork` if not.
 */
export async function checkOwnHead(
  relay: Relay,
  connection: Connection,
  of: Omit<Place, 'deviceId'>,
): Promise<Result<null, Problem>> {
  const isOther = await isAnotherStory(relay, connection, { ...of, deviceId: connection.journal.deviceId });
  if (!isOther.ok) return isOther;
  return isOther.value ? err(secondStory(of.seq)) : ok(null);
}

/**
 * Whether a relay holds another entry at a place than stands here: then all that follows is different too, and all before it
 * is the same where the entry is.
 */
export async function isAnotherStory(
  relay: Relay,
  connection: Connection,
  { deviceId, seq, heads, ring }: Place,
): Promise<Result<boolean, Problem>> {
  if (seq === 0) return ok(false);
  const pulled = await relay.pull({ ...heads, [deviceId]: seq - 1 });
  // What is only in a checkpoint any more was acknowledged by everybody.
  if (!pulled.ok) return pulled.error.code === 'relay-truncated' ? ok(false) : pulled;
  const held = pulled.value.operations.find((each) => each.deviceId === deviceId && each.seq === seq);
  const opened = held === undefined ? null : openOperation(ring, held);
  // What does not open is nobody's who has the keys: the others see that it was damaged.
  if (opened === null || !opened.ok) return ok(false);
  const sql = 'SELECT op_id FROM ops WHERE device_id = ? AND journal_seq = ?';
  const own = readOne<{ op_id: string }>(connection.db, sql, deviceId, seq);
  const cut = readCut(connection.db, deviceId);
  // What was condensed here cannot be compared any more; all that follows it can.
  if (own === null && seq < cut.seq) return ok(false);
  return ok((own?.op_id ?? (seq === cut.seq ? cut.opId : null)) !== opened.value.opId);
}

function secondStory(seq: number): Problem {
  return problem(
    'relay-fork',
    'Your other devices know another story of this device than it knows itself: a second copy of it is in use somewhere.',
    'Close Fencepost on the copy. If you know of none, give this device a new identity under Devices.',
    { seq },
  );
}
