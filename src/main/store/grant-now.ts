import { grantStanding } from '../../shared/core/gate/grant.ts';
import type { Grant, GrantDevices, GrantStanding } from '../../shared/core/gate/grant.ts';
import type { Connection } from './connection.ts';
import { readOne } from './connection.ts';
import { activeGrant } from './rows.ts';
import type { GrantRecord } from './rows.ts';

/** What an authority is looked up in. */
export interface Reading {
  readonly db: Connection['db'];
  readonly journal: Pick<Connection['journal'], 'deviceId' | 'nowMs'>;
}

/** An agent's newest permission, and whether it covers a revision here and now. */
export interface GrantNow {
  readonly grant: GrantRecord | null;
  readonly standing: GrantStanding;
}

/** Looks a permission up in the caller's transaction and lets the core decide about it. */
export function grantNow({ db, journal }: Reading, agentId: string, revisionDigest: string): GrantNow {
  const grant = activeGrant(db, agentId) ?? newestGrant(db, agentId);
  // The clocks are asked only where the answer depends on them: this is on the way of every effect.
  const nowMs = grant === null || grant.expires_at_ms === null ? 0 : journal.nowMs();
  const asked = { deviceId: journal.deviceId, revisionDigest, nowMs };
  return { grant, standing: grantStanding(grant === null ? null : grantOf(grant), asked) };
}

function newestGrant(db: Connection['db'], agentId: string): GrantRecord | null {
  return readOne<GrantRecord>(
    db,
    'SELECT * FROM grants WHERE agent_id = (SELECT ?) ORDER BY grant_number DESC LIMIT 1',
    agentId,
  );
}

function grantOf(record: GrantRecord): Grant {
  return {
    revisionDigest: record.revision_digest,
    devices: devicesOf(record),
    expiresAtMs: record.expires_at_ms,
    isRevoked: record.revoked_at_ms !== null,
    isEndNoted: record.expired_at_ms !== null,
  };
}

/** Where a permission holds. */
export function devicesOf(record: GrantRecord): GrantDevices {
  return record.devices === '*' ? '*' : (JSON.parse(record.devices) as string[]);
}
