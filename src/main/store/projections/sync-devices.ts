import type { Database } from 'better-sqlite3';
import type { RecordedEvent } from '../../../shared/contract/events.ts';
import { change } from '../connection.ts';
import { noteStaleAfter } from '../stale-names.ts';

/** The devices that share their journals. One that was let go stays so; where two let it go, the earlier end counts. */
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
        `UPDATE sync_devices SET let_go_at_ms = coalesce(let_go_at_ms, ?), let_go_by = coalesce(let_go_by, ?),
           let_go_up_to = min(coalesce(let_go_up_to, ?), ?) WHERE device_id = ?`,
        event.atMs,
        event.payload.by,
        event.payload.upToSeq,
        event.payload.upToSeq,
        event.payload.deviceId,
      );
      // What was taken in of it before this was known is taken out of what it was projected to.
      noteStaleAfter(db, event.payload.deviceId, event.payload.upToSeq);
      return;
    default:
      return;
  }
}
