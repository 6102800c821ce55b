import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { RotationDevice } from '../../relays/seal/key-ring.ts';
import { readAll, readOne } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';

/** A device that shares its journal, as the record knows it. */
export interface SyncDeviceRecord {
  readonly device_id: DeviceId;
  readonly name: string;
  readonly version: string;
  readonly public_key: string;
  readonly wrap_public_key: string;
  readonly joined_at_ms: number;
  readonly let_go_at_ms: number | null;
}

/** Every device that ever shared, by name. */
export function readSyncDevices({ db }: Pick<Connection, 'db'>): readonly SyncDeviceRecord[] {
  return readAll<SyncDeviceRecord>(db, 'SELECT * FROM sync_devices ORDER BY name, device_id');
}

/** Says who this device is, inside a write of the store, where it has not said the same before. */
export function joinAs(
  connection: Connection,
  as: { readonly name: string; readonly version: string; readonly publicKey: string; readonly wrapPublicKey: string },
): void {
  const { db, journal } = connection;
  const deviceId = journal.deviceId as DeviceId;
  const known = readOne<SyncDeviceRecord>(db, 'SELECT * FROM sync_devices WHERE device_id = ?', deviceId);
  const isSame = known?.name === as.name && known.version === as.version && known.wrap_public_key === as.wrapPublicKey;
  if (!isSame) journal.append('sync.device-joined', { deviceId, ...as });
}

/** Who is left, this device included, once a device is let go: for these the next key is made. */
export function whoIsLeft(connection: Connection, deviceId: DeviceId): Result<readonly RotationDevice[], Problem> {
  if (deviceId === connection.journal.deviceId) {
    return err(
      problem('not-offered', 'This device cannot let itself go.', 'Stop sharing on it, or do it from another.'),
    );
  }
  const known = readSyncDevices(connection);
  const device = known.find((each) => each.device_id === deviceId);
  if (device === undefined) return err(problem('not-found', 'There is no such device.'));
  const left = known.filter((each) => each.let_go_at_ms === null && each.device_id !== deviceId);
  return ok(left.map((each) => ({ deviceId: each.device_id, wrapPublicKey: each.wrap_public_key })));
}
