import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay, RelayState } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { openOperation } from '../../relays/seal/seal-operation.ts';
import { CheckpointReader } from '../../store/checkpoint/read-checkpoint.ts';
import { readOne } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { readCut } from '../../store/journal-cuts.ts';
import { openCheckpoint } from './sealed-checkpoint.ts';

/** An entry of a journal that is here, and what is needed to look for it on a relay. */
export interface Place {
  readonly deviceId: DeviceId | string;
  readonly seq: number;
  /** What the relay holds. */
  readonly state: RelayState;
  readonly ring: KeyRing;
}

/**
 * Whether a relay holds the same entry at a place as stands here: then all before it is the same too; where it holds another
 * one, all that follows is different. `unknown` where one of the two does not have it one by one any more, or nobody can read it.
 */
export type Comparison = 'same' | 'other' | 'unknown';

export async function compareStories(
  relay: Relay,
  connection: Connection,
  place: Place,
): Promise<Result<Comparison, Problem>> {
  const { deviceId, seq } = place;
  if (seq === 0) return ok('same');
  const here = opIdHere(connection, place);
  if (here === 'unknown') return ok('unknown');
  // Nothing else is asked for.
  const pulled = await relay.pull({ ...place.state.heads, [deviceId]: seq - 1 });
  if (!pulled.ok && pulled.error.code !== 'relay-truncated') return pulled;
  const there = pulled.ok ? opIdHeld(pulled.value.operations, place) : await opIdInCheckpoint(relay, place);
  if (there === null) return ok('unknown');
  return ok(there === here ? 'same' : 'other');
}

/** `null` where there is none; `unknown` where it was condensed. */
function opIdHere({ db }: Connection, { deviceId, seq }: Place): string | null {
  const sql = 'SELECT op_id FROM ops WHERE device_id = ? AND journal_seq = ?';
  const own = readOne<{ op_id: string }>(db, sql, deviceId, seq);
  if (own !== null) return own.op_id;
  const cut = readCut(db, deviceId);
  if (seq > cut.seq) return null;
  return seq === cut.seq ? cut.opId : 'unknown';
}

/** What does not open is nobody's who has the keys: the others see that it was damaged. */
function opIdHeld(
  operations: readonly Parameters<typeof openOperation>[1][],
  { deviceId, seq, ring }: Place,
): string | null {
  const held = operations.find((each) => each.deviceId === deviceId && each.seq === seq);
  const opened = held === undefined ? null : openOperation(ring, held);
  return opened?.ok === true ? opened.value.opId : null;
}

/** Where the entries were dropped, what took their place still says it of the newest, and of all that were not condensed. */
async function opIdInCheckpoint(relay: Relay, { deviceId, seq, state, ring }: Place): Promise<string | null> {
  const { checkpoint } = state;
  if (checkpoint === null) return null;
  const reader = new CheckpointReader({ deviceId, seq });
  const opened = await openCheckpoint(relay, checkpoint, { ring, look: (chunk) => reader.add(chunk) });
  if (!opened.ok) return null;
  const read = reader.end(checkpoint.frontier);
  return read.ok ? read.value.sought : null;
}
