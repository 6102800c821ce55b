import type { Problem } from '../../../shared/contract/errors.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { WRAP_KEY_SECRET } from '../../relays/seal/kept-keys.ts';
import { DEVICE_KEY_SECRET } from '../../secrets/device-key.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import { areKeysDue, noteKeysForgotten } from '../../store/identity.ts';
import type { Store } from '../../store/store.ts';
import { readSharing, writeSharingIn } from './kept-sharing.ts';

/**
 * Ends what belonged to the device that this profile was before: its keys, and from which of its entries on which key seals.
 * The keys of the space stay. Broken off anywhere, it is done again at the next start; nothing was signed in between.
 */
export async function beginAnew(store: Store, keys: Pick<SecretStore, 'remove'>): Promise<Result<null, Problem>> {
  const db = store.connection()?.db;
  if (db === undefined || !areKeysDue(db)) return ok(null);
  for (const name of [DEVICE_KEY_SECRET, WRAP_KEY_SECRET]) {
    const removed = await keys.remove(name);
    if (!removed.ok) return removed;
  }
  const kept = readSharing(store);
  const epoch = kept?.sealedWith.at(-1)?.[1] ?? null;
  const written = await store.write((connection) => {
    // Its journal begins at 1 again, and everybody has the newest key by now or is about to get it.
    if (kept !== null) writeSharingIn(connection.db, { ...kept, sealedWith: epoch === null ? [] : [[1, epoch]] });
    noteKeysForgotten(connection.db);
  });
  return written.ok ? ok(null) : written;
}
