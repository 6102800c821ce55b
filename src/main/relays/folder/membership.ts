import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { joinFrontiers, knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { RelayMember } from '../relay.ts';
import { COUNT_LIMIT } from './relay-records.ts';
import type { MemberRecord } from './relay-records.ts';

/** How old its own last contact may be before a device writes it down again, ms: each time is a file for all the others. */
const CONTACT_EVERY_MS = 600_000;

/** A device that has said nothing yet. */
export function newMember(deviceId: DeviceId): MemberRecord {
  const nothing = { contacts: 0, lastSeenAtMs: 0, acknowledged: {}, droppedUpTo: 0, letGo: {} };
  return { kind: 'member', deviceId, ...nothing };
}

/** What all files of one device say together; at least one. */
export function joinMembers(one: MemberRecord, other: MemberRecord): MemberRecord {
  return {
    kind: 'member',
    deviceId: one.deviceId,
    contacts: Math.max(one.contacts, other.contacts),
    lastSeenAtMs: Math.max(one.lastSeenAtMs, other.lastSeenAtMs),
    acknowledged: joinFrontiers(one.acknowledged, other.acknowledged),
    droppedUpTo: Math.max(one.droppedUpTo, other.droppedUpTo),
    letGo: joinFrontiers(one.letGo, other.letGo),
  };
}

/** Up to which contact a device was let go by anybody; 0 if nobody did. */
function letGoUpTo(deviceId: DeviceId, records: readonly MemberRecord[]): number {
  return Math.max(0, ...records.map((record) => knownUpTo(record.letGo, deviceId)));
}

/** The members as the port has them. One that never came is none, whatever else it wrote. */
export function membersOf(records: readonly MemberRecord[]): RelayMember[] {
  return records
    .filter((record) => record.contacts > 0)
    .map(({ deviceId, contacts, lastSeenAtMs, acknowledged }) => {
      return { deviceId, lastSeenAtMs, acknowledged, isLetGo: letGoUpTo(deviceId, records) >= contacts };
    });
}

/** What a device writes when it comes; its own record where nothing new has to be told. */
export function contactOf(
  own: MemberRecord,
  of: { readonly records: readonly MemberRecord[]; readonly nowMs: number },
): MemberRecord {
  const letGo = letGoUpTo(own.deviceId, of.records);
  const isHere = own.contacts > letGo;
  if (isHere && of.nowMs - own.lastSeenAtMs < CONTACT_EVERY_MS) return own;
  const lastSeenAtMs = Math.max(own.lastSeenAtMs, of.nowMs);
  return { ...own, contacts: Math.min(COUNT_LIMIT, Math.max(own.contacts, letGo) + 1), lastSeenAtMs };
}
