import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { KeyRing, RotationDevice } from '../../relays/seal/key-ring.ts';
import { readAll } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import type { Store } from '../../store/store.ts';
import { writeSharingIn } from './kept-sharing.ts';
import type { KeptSharing } from './kept-sharing.ts';
import { readSyncDevices, whoIsLeft } from './roster.ts';
import { rotatedSchema } from './space-keys.ts';
import type { SpaceKeys } from './space-keys.ts';

/** The keys of a device that shares, and what it keeps about them. */
interface KeyHolder {
  kept: KeptSharing;
  readonly keys: SpaceKeys;
}

interface Rotated {
  readonly ring: KeyRing;
  readonly kept: KeptSharing;
}

/**
 * Lets a device go: no entry of it is taken in any more, and the others get a key that it does not have, both in one write.
 * Half of it would be a device that is gone and still reads, or a key that nobody hears of.
 */
export async function rotateWithout(
  store: Store,
  holder: KeyHolder,
  of: { readonly deviceId: DeviceId; readonly by: string },
): Promise<Result<null, Problem>> {
  return await rotateWithin(store, holder, (connection) => {
    const left = whoIsLeft(connection, of.deviceId);
    if (!left.ok) return left;
    return rotateIn(connection, holder, { devices: left.value, before: () => tellLetGo(connection, of) });
  });
}

/**
 * Two that let a device go at the same time each made the next key for the one that the other let go. Where that has come to
 * light, those who did it make another one, for those that are left after both.
 */
export async function rotateWhereLeaked(store: Store, holder: KeyHolder): Promise<Result<null, Problem>> {
  return await rotateWithin(store, holder, (connection) => {
    const left = readSyncDevices(connection).filter((device) => device.let_go_at_ms === null);
    if (!isNewestKeyLeaked(connection, holder.keys.ring.currentEpoch)) return ok(null);
    const devices = left.map((each) => ({ deviceId: each.device_id, wrapPublicKey: each.wrap_public_key }));
    return rotateIn(connection, holder, { devices, before: () => undefined });
  });
}

/** What is used in memory and what is in the record change together, and the ring is kept after both. */
async function rotateWithin(
  store: Store,
  holder: KeyHolder,
  change: (connection: Connection) => Result<Rotated | null, Problem>,
): Promise<Result<null, Problem>> {
  const before = { kept: holder.kept, ring: holder.keys.ring };
  const use = ({ kept, ring }: Rotated): void => {
    holder.kept = kept;
    holder.keys.use(ring);
  };
  const written = await store.write((connection) => {
    const done = change(connection);
    // At once: what is written next may be handed over before this call goes on.
    if (done.ok && done.value !== null) use(done.value);
    return done;
  });
  if (!written.ok) use(before);
  const done = written.ok ? written.value : written;
  if (!done.ok) return done;
  // The entry wraps the key for this device as well, so that a crash before this loses nothing.
  return done.value === null ? ok(null) : await holder.keys.hold(holder.keys.ring);
}

function rotateIn(
  { journal, db }: Connection,
  { keys, kept }: KeyHolder,
  of: { readonly devices: readonly RotationDevice[]; readonly before: () => void },
): Result<Rotated, Problem> {
  const next = keys.next(of.devices);
  if (!next.ok) return next;
  const { ring, wrapped: rotation } = next.value;
  of.before();
  const { journalSeq } = journal.append('sync.keys-rotated', { rotation });
  const sealsFrom: KeptSharing = { ...kept, sealedWith: [...kept.sealedWith, [journalSeq + 1, ring.currentEpoch]] };
  writeSharingIn(db, sealsFrom);
  return ok({ ring, kept: sealsFrom });
}

function tellLetGo({ db, journal }: Connection, of: { readonly deviceId: DeviceId; readonly by: string }): void {
  journal.append('sync.device-let-go', { ...of, upToSeq: readJournalHead(db, of.deviceId).seq });
}

/** Whether this device made a key of the newest epoch, and one of that epoch went to a device that is not there any more. */
function isNewestKeyLeaked(connection: Connection, newestEpoch: number): boolean {
  const { db, journal } = connection;
  const gone = new Set(
    readSyncDevices(connection).flatMap((each) => (each.let_go_at_ms === null ? [] : each.device_id)),
  );
  if (gone.size === 0) return false;
  const sql = `SELECT device_id, payload FROM ops WHERE kind = 'sync.keys-rotated' ORDER BY seq`;
  const newest = readAll<{ device_id: DeviceId; payload: string }>(db, sql).flatMap(
    ({ device_id: author, payload }) => {
      const read = rotatedSchema.safeParse(JSON.parse(payload));
      return read.success && read.data.rotation[0]?.epoch === newestEpoch ? [{ author, ...read.data }] : [];
    },
  );
  const isMine = newest.some(({ author }) => author === journal.deviceId);
  return (
    isMine && newest.some(({ rotation }) => rotation.some((wrap) => wrap.deviceId !== null && gone.has(wrap.deviceId)))
  );
}
