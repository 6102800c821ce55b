import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import { readAll, readOne } from '../store/connection.ts';
import { findAgent } from '../store/rows.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

type Request = ParsedRequestOf<'refusals.list'>;

/** Refusals that were the same: of one agent, check, reason, run and device. */
export interface RefusalRow {
  readonly seq: number;
  readonly agent_id: string;
  readonly run_id: string | null;
  readonly word: string;
  readonly reason: string;
  readonly device_id: string;
  readonly count: number;
  readonly first_at_ms: number;
  readonly last_at_ms: number;
}

interface Filter {
  readonly from: 'refusals INDEXED BY refusals_grouped' | 'refusals INDEXED BY refusals_of_device';
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The newest groups that fit, at most so many. */
export function findRefusals(source: ViewSource, request: Request, limit: number): readonly RefusalRow[] {
  const { from, sql, parameters } = filterOf(source, request);
  return readAll<RefusalRow>(
    source.connection.db,
    `SELECT agent_id, run_id, word, reason, device_id, max(seq) AS seq, count(*) AS count, min(at_ms) AS first_at_ms,
       max(at_ms) AS last_at_ms
     FROM ${from} WHERE ${sql} GROUP BY agent_id, word, reason, run_id, device_id ORDER BY seq DESC LIMIT ?`,
    ...parameters,
    limit,
  );
}

/** How often each check said no for each reason, the most frequent first. */
export function countReasons(
  source: ViewSource,
  request: Request,
): readonly { readonly word: string; readonly reason: string; readonly count: number }[] {
  const { from, sql, parameters } = filterOf(source, request);
  return readAll(
    source.connection.db,
    `SELECT word, reason, count(*) AS count FROM ${from} WHERE ${sql} GROUP BY word, reason ORDER BY count DESC, word, reason`,
    ...parameters,
  );
}

/** How many refusals the record has. */
export function countRefusals({ connection }: ViewSource): number {
  return readOne<{ count: number }>(connection.db, 'SELECT count(*) AS count FROM refusals')?.count ?? 0;
}

/** A time is looked up for each device by itself: both stand at the front of one index, which holds all that is asked for. */
function filterOf(source: ViewSource, { agentId, deviceId, sinceMs, beforeMs }: Request): Filter {
  const ofAgent = agentId === undefined ? [] : [{ sql: 'agent_id = ?', parameters: [agentId] }];
  const isTimed = sinceMs !== undefined || beforeMs !== undefined;
  if (deviceId === undefined && !isTimed) return { from: 'refusals INDEXED BY refusals_grouped', ...joined(ofAgent) };
  const devices = deviceId === undefined ? deviceIdsOf(source) : [deviceId];
  const parts = [
    { sql: 'device_id IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(devices)] },
    ...(sinceMs === undefined ? [] : [{ sql: 'at_ms >= ?', parameters: [sinceMs] }]),
    ...(beforeMs === undefined ? [] : [{ sql: 'at_ms < ?', parameters: [beforeMs] }]),
    ...ofAgent,
  ];
  return { from: 'refusals INDEXED BY refusals_of_device', ...joined(parts) };
}

function joined(
  parts: readonly { readonly sql: string; readonly parameters: readonly unknown[] }[],
): Pick<Filter, 'sql' | 'parameters'> {
  return {
    sql: ['1', ...parts.map((part) => part.sql)].join(' AND '),
    parameters: parts.flatMap((part) => part.parameters),
  };
}

/** The devices that ever held back, this one first; what nobody says any more is none that can be chosen. */
export function refusalDevices(source: ViewSource): readonly { readonly deviceId: string; readonly name: string }[] {
  const own = source.device.deviceId;
  const ids = deviceIdsOf(source).filter((deviceId) => deviceId !== '');
  return ids
    .toSorted((one, other) => Number(other === own) - Number(one === own))
    .map((deviceId) => ({ deviceId, name: deviceNameOf(source, deviceId) }));
}

/** The agents for which a device ever held back, by name. */
export function refusalAgents(source: ViewSource): readonly { readonly agentId: string; readonly name: string }[] {
  const { db } = source.connection;
  return leap(source, 'agent_id', 'refusals_grouped')
    .map((agentId) => ({ agentId, name: findAgent(db, agentId)?.name ?? agentId }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

function deviceIdsOf(source: ViewSource): readonly string[] {
  return leap(source, 'device_id', 'refusals_of_device');
}

/** The different values of a column, found by leaping from one to the next in the index that begins with it. */
function leap(source: ViewSource, column: 'agent_id' | 'device_id', index: string): readonly string[] {
  const least = `SELECT min(${column}) FROM refusals INDEXED BY ${index}`;
  const rows = readAll<{ value: string }>(
    source.connection.db,
    `WITH RECURSIVE found (value) AS (
       ${least} UNION ALL SELECT (${least} WHERE ${column} > found.value) FROM found WHERE found.value IS NOT NULL
     ) SELECT value FROM found WHERE value IS NOT NULL`,
  );
  return rows.map((row) => row.value);
}
