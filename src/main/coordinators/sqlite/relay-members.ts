import type { Database } from 'better-sqlite3';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { joinFrontiers } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { RELAY_DEVICE_LIMIT } from '../../hub/relay/relay-storage.ts';
import { frontierSchema } from '../../hub/relay/relay-wire.ts';
import type { RelayMember } from '../../relays/relay.ts';
import { crowded } from './relay-journals.ts';

interface Row {
  readonly deviceId: DeviceId;
  readonly lastSeenAtMs: number;
  readonly acknowledged: string;
  readonly isLetGo: number;
}

/** Everybody who was ever here. */
export function readMembers(db: Database): readonly RelayMember[] {
  const all = `SELECT device_id AS deviceId, last_seen_at_ms AS lastSeenAtMs, acknowledged, is_let_go AS isLetGo
    FROM relay_member ORDER BY device_id`;
  return (db.prepare(all).all() as Row[]).map(({ acknowledged, isLetGo, ...rest }) => ({
    ...rest,
    acknowledged: readFrontier(acknowledged),
    isLetGo: isLetGo === 1,
  }));
}

/** A device is here, whether it was let go before or not. */
export function seeMember(db: Database, deviceId: DeviceId, atMs: number): void {
  const see = `INSERT INTO relay_member (device_id, last_seen_at_ms, acknowledged, is_let_go) VALUES (?, ?, '{}', 0)
    ON CONFLICT (device_id) DO UPDATE SET last_seen_at_ms = excluded.last_seen_at_ms, is_let_go = 0`;
  db.prepare(see).run(deviceId, Math.round(atMs));
  const { count } = db.prepare('SELECT count(*) AS count FROM relay_member').get() as { count: number };
  if (count > RELAY_DEVICE_LIMIT) throw crowded();
}

/** What a device has folded, beside what it said before. */
export function addAcknowledged(db: Database, deviceId: DeviceId, have: Frontier): void {
  const find = db.prepare('SELECT acknowledged FROM relay_member WHERE device_id = ?');
  const { acknowledged } = find.get(deviceId) as Pick<Row, 'acknowledged'>;
  const joined = joinFrontiers(readFrontier(acknowledged), have);
  if (Object.keys(joined).length > RELAY_DEVICE_LIMIT) throw crowded();
  const write = db.prepare('UPDATE relay_member SET acknowledged = ? WHERE device_id = ?');
  write.run(JSON.stringify(joined), deviceId);
}

/** Nothing is kept for these any more; those who never were here are not invented. */
export function letMembersGo(db: Database, deviceIds: Iterable<DeviceId>): void {
  const letGo = db.prepare('UPDATE relay_member SET is_let_go = 1 WHERE device_id = ? AND is_let_go = 0');
  for (const deviceId of deviceIds) letGo.run(deviceId);
}

/** @throws Error for a row that was not written by this program. */
export function readFrontier(text: string): Frontier {
  return frontierSchema.parse(JSON.parse(text));
}
