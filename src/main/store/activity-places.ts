import type { Database } from 'better-sqlite3';
import { prepared, readAll, readOne } from './connection.ts';
import { FREQUENT_KINDS, IS_SELDOM } from './migrations/0110-activity.ts';

/** So many places of the record are looked through for one answer, which keeps it under 50 ms. */
const SPAN_PLACES = 20_000;

/** Which entries are wanted; `null` for all. */
export interface PlaceFilter {
  readonly kinds: readonly string[] | null;
  readonly agentId: string | null;
  readonly deviceId: string | null;
  /** Wall ms, of the device that wrote the entry. */
  readonly sinceMs: number | null;
}

interface PlaceRange {
  /** From here on, and before there. */
  readonly from: number;
  readonly before: number;
  readonly limit: number;
}

/** Places of the record that fit, the newest first, and where to look on; `null` when there are no more. */
export function findPlaces(
  db: Database,
  filter: PlaceFilter,
  { from, before, limit }: PlaceRange,
): { readonly places: readonly number[]; readonly before: number | null } {
  const floor = Math.max(from, firstPlaceSince(db, filter));
  const isSeldom = filter.kinds !== null && filter.kinds.every((kind) => !FREQUENT_KINDS.includes(kind));
  const lowest = isSeldom ? floor : Math.max(floor, before - SPAN_PLACES);
  const range = { from: lowest, before, limit };
  const places = isSeldom ? seldomPlaces(db, filter, range) : nextPlaces(db, filter, range);
  const last = places.at(-1);
  if (places.length === limit && last !== undefined) return { places, before: last };
  return { places, before: lowest > floor ? lowest : null };
}

/** The devices that wrote any of the record, by id. */
export function devicesOfRecord(db: Database): readonly string[] {
  const rows = readAll<{ device_id: string }>(
    db,
    `WITH RECURSIVE devices (device_id) AS (
       SELECT min(device_id) FROM ops
       UNION ALL SELECT (SELECT min(device_id) FROM ops WHERE device_id > devices.device_id) FROM devices
         WHERE devices.device_id IS NOT NULL
     ) SELECT device_id FROM devices WHERE device_id IS NOT NULL`,
  );
  return rows.map((row) => row.device_id);
}

/** The newest place of the record; 0 for an empty one. */
export function newestPlace(db: Database): number {
  return readOne<{ seq: number | null }>(db, 'SELECT max(seq) AS seq FROM ops')?.seq ?? 0;
}

const FITS = `(@agentId IS NULL OR agent_id = @agentId) AND (@deviceId IS NULL OR device_id = @deviceId)
  AND (@sinceMs IS NULL OR wall_ms >= @sinceMs)`;
const IN_RANGE = 'seq >= @from AND seq < @before';

function seldomPlaces(db: Database, filter: PlaceFilter, range: PlaceRange): readonly number[] {
  const sql = `SELECT seq FROM ops INDEXED BY ops_seldom WHERE ${IS_SELDOM} AND kind = @kind AND ${IN_RANGE} AND ${FITS}
    ORDER BY seq DESC LIMIT @limit`;
  const ofKinds = (filter.kinds ?? []).map((kind) => read(db, sql, { ...parametersOf(filter, range), kind }));
  return newest(ofKinds, range.limit);
}

function nextPlaces(db: Database, filter: PlaceFilter, range: PlaceRange): readonly number[] {
  const isAny = filter.kinds === null && filter.agentId === null && filter.deviceId === null;
  if (isAny) {
    const sql = `SELECT seq FROM ops WHERE ${IN_RANGE} AND ${FITS} ORDER BY seq DESC LIMIT @limit`;
    return read(db, sql, parametersOf(filter, range));
  }
  // Each device by itself: then all that is read is the index, and nothing of what the entries say.
  const sql = `SELECT seq FROM ops INDEXED BY ops_of_device WHERE device_id = @device AND ${IN_RANGE} AND ${FITS}
    AND (@kinds IS NULL OR kind IN (SELECT value FROM json_each(@kinds))) ORDER BY seq DESC LIMIT @limit`;
  const devices = filter.deviceId === null ? devicesOfRecord(db) : [filter.deviceId];
  const kinds = filter.kinds === null ? null : JSON.stringify(filter.kinds);
  const ofDevices = devices.map((device) => read(db, sql, { ...parametersOf(filter, range), device, kinds }));
  return newest(ofDevices, range.limit);
}

function parametersOf({ agentId, deviceId, sinceMs }: PlaceFilter, range: PlaceRange) {
  return { agentId, deviceId, sinceMs, ...range };
}

function read(db: Database, sql: string, parameters: object): readonly number[] {
  return (prepared(db, sql).all(parameters) as { seq: number }[]).map((row) => row.seq);
}

function newest(lists: readonly (readonly number[])[], limit: number): readonly number[] {
  return lists
    .flat()
    .toSorted((one, other) => other - one)
    .slice(0, limit);
}

/**
 * The first place at which an entry of that time can stand. The times of one device never go back, so that it is found
 * without a look at all that came before.
 */
function firstPlaceSince(db: Database, { sinceMs, deviceId }: PlaceFilter): number {
  if (sinceMs === null) return 1;
  const end = newestPlace(db) + 1;
  const devices = deviceId === null ? devicesOfRecord(db) : [deviceId];
  return Math.min(end, ...devices.map((device) => firstOfDevice(db, device, { sinceMs, end })));
}

function firstOfDevice(db: Database, device: string, of: { readonly sinceMs: number; readonly end: number }): number {
  const sql = 'SELECT wall_ms FROM ops INDEXED BY ops_of_device WHERE device_id = ? AND seq >= ? ORDER BY seq LIMIT 1';
  let low = 1;
  let high = of.end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = readOne<{ wall_ms: number }>(db, sql, device, middle);
    if (found === null || found.wall_ms >= of.sinceMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
