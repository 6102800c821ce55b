import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { SyncChip, SyncDeviceRow, SyncView } from '../../shared/contract/sync-views.ts';
import { knownUpTo } from '../../shared/core/sync/sealed.ts';
import type { SyncStatus } from '../host/sync/sync-control.ts';
import type { QuarantineReason } from '../host/sync/take-in.ts';
import { shortSpaceId } from '../relays/seal/space-secret.ts';
import type { Connection } from '../store/connection.ts';
import { readAll, readOne } from '../store/connection.ts';
import { readJournalHeads } from '../store/foreign-journals.ts';
import type { JournalHead } from '../store/foreign-journals.ts';
import { conflictViews } from './conflicts.ts';
import { plainly } from './failure-words.ts';
import { sharedNameOf } from './sync-names.ts';
import { quarantineWords, syncSentence } from './sync-words.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** A device that was not in contact for so long is pointed out. */
const SILENT_AFTER_MS = 14 * 24 * 3_600_000;
/** An entry this close to a contact was written just before it: their difference is the clocks', give or take this. */
const CLOCK_NEAR_MS = 5_000;
/** The most devices that are listed. */
const DEVICE_LIMIT = 200;

interface DeviceRecord {
  readonly device_id: string;
  readonly version: string;
  readonly let_go_at_ms: number | null;
}

interface QuarantineRecord {
  readonly device_id: string;
  readonly facts: string;
  readonly at_ms: number;
}

/** How the journals of this device and the others stand. `status` is `null` while nothing is shared. */
export function syncView(source: ViewSource, status: SyncStatus | null): SyncView {
  const devices = status === null ? [] : deviceRows(source, status);
  const state = stateOf(status, devices);
  const others = othersOf(devices);
  return {
    sequence: sequenceOf(source),
    state,
    sentence: syncSentence({
      state,
      deviceName: source.device.name,
      relayName: status?.relayName ?? '',
      trouble: plainly(status?.problem?.message ?? ''),
      catchUp: status?.catchUp ?? null,
      others: others.map(({ name, lacksOfOurs, quarantine }) => ({
        name,
        lacksOfOurs,
        isPutAside: quarantine !== null,
      })),
      hasSynced: (status?.syncedAtMs ?? null) !== null,
    }),
    relay: status === null ? null : { choice: status.choice, name: status.relayName },
    spaceName: status === null ? '' : shortSpaceId(status.spaceId),
    hasWords: status?.hasWords ?? false,
    syncedAtMs: status?.syncedAtMs ?? null,
    problem: status?.problem ?? null,
    catchUp: status?.catchUp ?? null,
    devices,
    conflicts: conflictViews(source),
  };
}

/** The same in a word for the status bar; `null` while nothing is shared. */
export function syncChip(source: ViewSource, status: SyncStatus | null): SyncChip | null {
  if (status === null) return null;
  const devices = deviceRows(source, status);
  const others = othersOf(devices);
  return {
    state: stateOf(status, devices),
    syncedAtMs: status.syncedAtMs,
    others: others.length,
    othersInStep: others.filter((other) => other.lacksOfOurs === 0).length,
    catchUp: status.catchUp,
  };
}

/** Those that take part besides this one. */
function othersOf(devices: readonly SyncDeviceRow[]): readonly SyncDeviceRow[] {
  return devices.filter((device) => !device.isThisDevice && device.letGoAtMs === null);
}

/** Not to be reached is a state and no error. A journal that was put aside needs a person, unless its device was let go. */
function stateOf(status: SyncStatus | null, devices: readonly SyncDeviceRow[]): SyncView['state'] {
  if (status === null) return 'off';
  if (status.problem?.code === 'relay-unreachable') return 'offline';
  if (status.problem !== null) return 'trouble';
  if (status.isCatchingUp || status.catchUp !== null) return 'catching-up';
  return othersOf(devices).some(({ quarantine }) => quarantine !== null) ? 'trouble' : 'ready';
}

/** What is the same for every row. */
interface Rows {
  readonly source: ViewSource;
  readonly status: SyncStatus;
  readonly records: ReadonlyMap<string, DeviceRecord>;
  readonly heads: ReadonlyMap<string, JournalHead>;
  readonly aside: ReadonlyMap<string, QuarantineRecord>;
  readonly agents: ReadonlyMap<string, readonly string[]>;
}

/** This device first, then the others by name. */
function deviceRows(source: ViewSource, status: SyncStatus): readonly SyncDeviceRow[] {
  const { db } = source.connection;
  const records = readAll<DeviceRecord>(db, 'SELECT device_id, version, let_go_at_ms FROM sync_devices');
  const heads = readJournalHeads(db);
  const aside = readAll<QuarantineRecord>(db, 'SELECT device_id, facts, at_ms FROM quarantines');
  const rows: Rows = {
    source,
    status,
    records: new Map(records.map((each) => [each.device_id, each])),
    heads: new Map(heads.map((each) => [each.deviceId, each])),
    aside: new Map(aside.map((each) => [each.device_id, each])),
    agents: agentsByHolder(source),
  };
  const own = source.device.deviceId;
  const known = new Set([
    own,
    ...rows.records.keys(),
    ...rows.heads.keys(),
    ...rows.aside.keys(),
    ...(status.relay?.members ?? []).map((member) => member.deviceId),
  ]);
  return [...known]
    .slice(0, DEVICE_LIMIT)
    .map((deviceId) => (deviceId === own ? ownRow(rows) : otherRow(rows, deviceId)))
    .toSorted(
      (one, other) =>
        Number(other.isThisDevice) - Number(one.isThisDevice) ||
        one.name.localeCompare(other.name) ||
        one.deviceId.localeCompare(other.deviceId),
    );
}

function ownRow({ source, status, records, agents }: Rows): SyncDeviceRow {
  const { deviceId, name } = source.device;
  const { connection } = source;
  const knownSeq = connection.journal.head.journalSeq;
  const relaySeq = Math.min(knownSeq, Math.max(status.pushedSeq, knownUpTo(status.relay?.heads ?? {}, deviceId)));
  return {
    deviceId,
    name,
    isThisDevice: true,
    version: records.get(deviceId)?.version ?? '',
    lastSeenAtMs: memberOf(status, deviceId)?.lastSeenAtMs ?? null,
    knownSeq,
    relaySeq,
    lacksOfOurs: 0,
    oldestUnsentAtMs: oldestUnsent(connection, { knownSeq, relaySeq }),
    clockOffsetMs: null,
    leases: agents.get(deviceId) ?? [],
    letGoAtMs: records.get(deviceId)?.let_go_at_ms ?? null,
    isSilent: false,
    quarantine: null,
  };
}

function otherRow(rows: Rows, deviceId: string): SyncDeviceRow {
  const { source, status, records, heads, aside } = rows;
  const head = heads.get(deviceId) ?? null;
  const member = memberOf(status, deviceId);
  const letGoAtMs = records.get(deviceId)?.let_go_at_ms ?? null;
  const lastSeenAtMs = member?.lastSeenAtMs ?? null;
  const name = sharedNameOf(source, deviceId);
  const written = source.connection.journal.head.journalSeq;
  const acknowledged = knownUpTo(member?.acknowledged ?? {}, source.device.deviceId);
  const record = aside.get(deviceId);
  const reason = record === undefined ? null : (JSON.parse(record.facts) as QuarantineReason);
  return {
    deviceId,
    name,
    isThisDevice: false,
    version: records.get(deviceId)?.version ?? '',
    lastSeenAtMs,
    knownSeq: head?.seq ?? 0,
    relaySeq: Math.max(head?.seq ?? 0, knownUpTo(status.relay?.heads ?? {}, deviceId)),
    lacksOfOurs: letGoAtMs === null ? Math.max(0, written - acknowledged) : 0,
    oldestUnsentAtMs: null,
    clockOffsetMs: clockOffset({ head, reason, lastSeenAtMs, nowMs: source.nowMs }),
    leases: rows.agents.get(deviceId) ?? [],
    letGoAtMs,
    isSilent: letGoAtMs === null && lastSeenAtMs !== null && source.nowMs - lastSeenAtMs >= SILENT_AFTER_MS,
    quarantine:
      reason === null ? null : { reason: reason.kind, ...quarantineWords(reason, name), sinceMs: record?.at_ms ?? 0 },
  };
}

function memberOf(status: SyncStatus, deviceId: string) {
  return status.relay?.members.find((member) => member.deviceId === deviceId) ?? null;
}

/**
 * What entries show of another clock. One from the future proves that the clock is ahead by at least that; one that was
 * written just before a contact shows both. Any other may simply be old. A stamp with a counter was not read off the clock.
 */
function clockOffset(of: {
  readonly head: JournalHead | null;
  readonly reason: QuarantineReason | null;
  readonly lastSeenAtMs: number | null;
  readonly nowMs: number;
}): number | null {
  const { head, reason, lastSeenAtMs, nowMs } = of;
  if (reason?.kind === 'clock-ahead') return reason.aheadMs;
  if (head === null || head.time.counter > 0) return null;
  const { wallMs } = head.time;
  if (wallMs > nowMs) return wallMs - nowMs;
  if (lastSeenAtMs === null || Math.abs(wallMs - lastSeenAtMs) > CLOCK_NEAR_MS) return null;
  return wallMs - lastSeenAtMs;
}

/** When the oldest entry that was not handed over was written. A place in the journal is never behind its place in the record. */
function oldestUnsent(
  { db, journal }: Connection,
  of: { readonly knownSeq: number; readonly relaySeq: number },
): number | null {
  if (of.knownSeq <= of.relaySeq) return null;
  const sql = 'SELECT wall_ms FROM ops WHERE seq > ? AND device_id = ? AND journal_seq > ? ORDER BY seq LIMIT 1';
  return readOne<{ wall_ms: number }>(db, sql, of.relaySeq, journal.deviceId, of.relaySeq)?.wall_ms ?? null;
}

/** Names of the agents that each device has the right to act for, as far as it is known here. */
function agentsByHolder(source: ViewSource): ReadonlyMap<string, readonly string[]> {
  const agents = readAll<{ agent_id: AgentId; name: string }>(
    source.connection.db,
    'SELECT agent_id, name FROM agents ORDER BY name, agent_id',
  );
  const held = new Map<string, string[]>();
  for (const { agent_id: agentId, name } of agents) {
    const { held: here, view, state } = source.leaseStatus(agentId);
    const isCurrent = state === 'ready' && (view?.remainingMs ?? 0) > 0;
    const holder = here === null ? (isCurrent ? (view?.lease?.holder ?? null) : null) : source.device.deviceId;
    if (holder !== null) held.set(holder, [...(held.get(holder) ?? []), name]);
  }
  return held;
}
