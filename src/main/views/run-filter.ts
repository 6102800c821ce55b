import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { readAll } from '../store/connection.ts';
import { whereOf } from './run-status.ts';
import { deviceNameOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** Branches belong to the run that began them and are shown there. */
export const OF_THEIR_OWN = 'parent_run_id IS NULL';

/** Which runs a list is about, as SQL. */
export interface RunFilter {
  /**
   * The table. A search reads every run anyway, and an index would only send it to and fro; a device or a time has an index of
   * its own, which SQLite would leave aside for the sake of counting.
   */
  readonly from: 'runs' | 'runs NOT INDEXED' | 'runs INDEXED BY runs_by_device' | 'runs INDEXED BY runs_by_start';
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

interface Part {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

type Request = ParsedRequestOf<'runs.list'>;

/** What a request lets through. */
export function filterOf(source: ViewSource, request: Request): RunFilter {
  const { agentId, runIds, deviceId, sinceMs, beforeMs } = request;
  const search = request.search.trim();
  const device = deviceId === undefined ? null : ofDevice(source, deviceId);
  const parts: Part[] = [{ sql: OF_THEIR_OWN, parameters: [] }];
  if (agentId !== undefined) parts.push({ sql: 'agent_id = ?', parameters: [agentId] });
  if (device !== null) parts.push(device);
  if (sinceMs !== undefined) parts.push({ sql: 'started_at_ms >= ?', parameters: [sinceMs] });
  if (beforeMs !== undefined) parts.push({ sql: 'started_at_ms < ?', parameters: [beforeMs] });
  if (runIds !== undefined)
    parts.push({ sql: 'run_id IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(runIds)] });
  if (search !== '') parts.push(ofSearch(source, search));
  const isTimed = sinceMs !== undefined || beforeMs !== undefined;
  return {
    from: tableFor({ isSearch: search !== '', device, isTimed }),
    sql: parts.map((part) => part.sql).join(' AND '),
    parameters: parts.flatMap((part) => part.parameters),
  };
}

function tableFor(of: {
  readonly isSearch: boolean;
  readonly device: { readonly isIndexed: boolean } | null;
  readonly isTimed: boolean;
}): RunFilter['from'] {
  if (of.isSearch) return 'runs NOT INDEXED';
  if (of.device?.isIndexed === true) return 'runs INDEXED BY runs_by_device';
  return of.isTimed ? 'runs INDEXED BY runs_by_start' : 'runs';
}

/**
 * The device that a row shows: while another one has the right to act for an agent, its open runs are with that one, whoever
 * took them on last.
 */
function ofDevice(source: ViewSource, deviceId: string): Part & { readonly isIndexed: boolean } {
  const held = heldElsewhere(source);
  const idsOf = (isChosen: (holder: string) => boolean): string =>
    JSON.stringify(held.filter(({ holder }) => isChosen(holder)).map(({ agentId }) => agentId));
  const here = idsOf((holder) => holder === deviceId);
  const elsewhere = idsOf((holder) => holder !== deviceId);
  const isOpenOf = '(ending IS NULL AND agent_id IN (SELECT value FROM json_each(?)))';
  const own = `device_id = ? AND NOT ${isOpenOf}`;
  if (here === '[]') return { sql: own, parameters: [deviceId, elsewhere], isIndexed: true };
  return { sql: `((${own}) OR ${isOpenOf})`, parameters: [deviceId, elsewhere, here], isIndexed: false };
}

/** The agents with open runs that another device has the right to act for. */
function heldElsewhere(source: ViewSource): readonly { readonly agentId: AgentId; readonly holder: string }[] {
  const open = readAll<{ agent_id: AgentId }>(
    source.connection.db,
    'SELECT DISTINCT agent_id FROM runs WHERE ending IS NULL',
  );
  return open.flatMap(({ agent_id: agentId }) => {
    const { holder } = whereOf(source, agentId);
    return holder === null ? [] : [{ agentId, holder }];
  });
}

function ofSearch(source: ViewSource, search: string): Part {
  const like = `%${search.replaceAll(/[\\%_]/gu, (sign) => `\\${sign}`)}%`;
  const number = /^\d{1,15}$/u.test(search) ? Number(search) : -1;
  // Looked for once, however often the filter is used.
  const inside = readAll<{ run_id: string }>(source.connection.db, FOUND_INSIDE, like, like, number);
  return {
    sql: `(title LIKE ? ESCAPE '\\' OR last_event LIKE ? ESCAPE '\\' OR run_number = ?
        OR agent_id IN (SELECT agent_id FROM agents WHERE name LIKE ? ESCAPE '\\')
        OR run_id IN (SELECT value FROM json_each(?)))`,
    parameters: [like, like, number, like, JSON.stringify(inside.map((each) => each.run_id))],
  };
}

/** The runs that a branch is found in: by its name, by what it said last, or by its number. */
const FOUND_INSIDE = `WITH RECURSIVE found (run_id) AS (
    SELECT parent_run_id FROM runs WHERE parent_run_id IS NOT NULL
      AND (branch LIKE ? ESCAPE '\\' OR last_event LIKE ? ESCAPE '\\' OR run_number = ?)
    UNION
    SELECT runs.parent_run_id FROM found JOIN runs USING (run_id) WHERE runs.parent_run_id IS NOT NULL
  ) SELECT run_id FROM found`;

/** The devices that have or took on any run, found by leaping from one to the next in the index; this one first. */
export function runDevices(source: ViewSource): readonly { readonly deviceId: string; readonly name: string }[] {
  const next = `SELECT min(device_id) FROM runs INDEXED BY runs_by_device WHERE parent_run_id IS NULL AND device_id >`;
  const rows = readAll<{ device_id: string }>(
    source.connection.db,
    `WITH RECURSIVE devices (device_id) AS (
       ${next} '' UNION ALL SELECT (${next} devices.device_id) FROM devices WHERE devices.device_id IS NOT NULL
     ) SELECT device_id FROM devices WHERE device_id IS NOT NULL`,
  );
  const own = source.device.deviceId;
  const others = [...rows.map((row) => row.device_id), ...heldElsewhere(source).map(({ holder }) => holder)];
  return [...new Set([own, ...others])].map((deviceId) => ({ deviceId, name: deviceNameOf(source, deviceId) }));
}
