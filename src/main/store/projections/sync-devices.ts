import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';

/** The devices that share their journals. One that was let go stays so, whatever it says later. */
export function projectSyncDevice(db: Database, event: RecordedEvent): void {
  switch (event.kind) {
    case 'sync.device-joined': {
      const { deviceId, name, version, publicKey, wrapPublicKey } = event.payload;
      // Nobody joins for another device.
      if (deviceId !== event.deviceId) return;
      change(
        db,
        `INSERT INTO sync_devices (device_id, name, version, public_key, wrap_public_key, joined_at_ms) VALUES (?,?,?,?,?,?)
         ON CONFLICT (device_id) DO UPDATE SET name = excluded.name, version = excluded.version,
           wrap_public_key = excluded.wrap_public_key`,
        deviceId,
        name,
        version,
        publicKey,
        wrapPublicKey,
        event.atMs,
      );
      return;
    }
    case 'sync.device-let-go':
      change(
        db,
        'UPDATE sync_devices SET let_go_at_ms = ?, let_go_by = ? WHERE device_id = ? AND let_go_at_ms IS NULL',
        event.atMs,
        event.payload.by,
        event.payload.deviceId,
      );
      return;
    default:
      return;
  }
}
