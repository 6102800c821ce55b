import { readOne } from '../store/connection.ts';
import type { ViewSource } from './view-source.ts';

/** The name of a device that shares its journal: as it was paired, else as it calls itself, else a few plain words. */
export function sharedNameOf(source: ViewSource, deviceId: string): string {
  if (deviceId === source.device.deviceId) return source.device.name;
  const sql = 'SELECT name FROM sync_devices WHERE device_id = ?';
  const own = readOne<{ name: string }>(source.connection.db, sql, deviceId)?.name;
  return source.peerName(deviceId) ?? own ?? 'Another device';
}
