import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay } from '../../relays/relay.ts';
import type { Connection } from '../../store/connection.ts';
import { compareStories } from './told-story.ts';
import type { Place } from './told-story.ts';

/**
 * Looks whether the last entry that a relay holds of this device is one of its own: a relay sees no chains, and would take the
 * entries of a second copy of this profile for the next ones. Error `relay-fork` if not.
 */
export async function checkOwnHead(
  relay: Relay,
  connection: Connection,
  of: Omit<Place, 'deviceId'>,
): Promise<Result<null, Problem>> {
  const compared = await compareStories(relay, connection, { ...of, deviceId: connection.journal.deviceId });
  if (!compared.ok) return compared;
  // What nobody can compare here is seen by the others: their copy of this journal goes on from the right one only.
  return compared.value === 'other' ? err(secondStory(of.seq)) : ok(null);
}

function secondStory(seq: number): Problem {
  return problem(
    'relay-fork',
    'Your other devices know another story of this device than it knows itself: a second copy of it is in use somewhere.',
    'Close Fencepost on the copy. If you know of none, give this device a new identity under Devices.',
    { seq },
  );
}
