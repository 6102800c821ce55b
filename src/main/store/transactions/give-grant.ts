import type { Database } from 'better-sqlite3';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { AgentId, Digest } from '../../../shared/contract/identifiers.ts';
import type { GrantDevices } from '../../../shared/core/gate/grant.ts';
import { encodeIdentity } from '../../../shared/lib/identity.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { readAll, readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { activeGrant, findAgent } from '../rows.ts';
import type { GrantRecord } from '../rows.ts';

/** Where a permission is to hold, and until when. */
export interface GrantTerms {
  readonly devices: GrantDevices;
  /** Wall ms; `null` is without an end. */
  readonly expiresAtMs: number | null;
}

/** Any device of this person, without an end: what is chosen when nothing else is. */
export const OPEN_TERMS: GrantTerms = { devices: '*', expiresAtMs: null };

/** A permission as it would be given now. */
export interface GrantPreview extends GrantTerms {
  readonly previewDigest: Digest;
  readonly revisionDigest: Digest;
  readonly grantNumber: number;
}

/**
 * The permission that would be given now: of this revision (and so of all that its scope names), as the next in this
 * agent's row of permissions, for these devices and until then. The digest is over all of it.
 */
export function previewGrant(
  { db, journal }: Pick<Connection, 'db' | 'journal'>,
  agentId: AgentId,
  terms: GrantTerms,
): Result<GrantPreview, Problem> {
  const agent = findAgent(db, agentId);
  if (agent === null) return err(problem('not-found', 'There is no such agent.'));
  const { expiresAtMs } = terms;
  const devices = terms.devices === '*' ? terms.devices : [...new Set(terms.devices)].toSorted();
  if (devices !== '*' && devices.length === 0)
    return err(problem('input-invalid', 'A permission names at least one device.', 'Choose where it holds.'));
  if (expiresAtMs !== null && expiresAtMs <= journal.nowMs())
    return err(
      problem(
        'input-invalid',
        'This permission would have ended before it began.',
        'Choose a later end. If the date is right, the clock of this device was ahead once: the record knows a later time.',
      ),
    );
  const last = readOne<{ number: number | null }>(
    db,
    'SELECT max(grant_number) AS number FROM grants WHERE agent_id = ?',
    agentId,
  );
  const grantNumber = (last?.number ?? 0) + 1;
  const { revision_digest: revisionDigest } = agent;
  const until = expiresAtMs === null ? 'no end' : String(expiresAtMs);
  const where = devices === '*' ? devices : encodeIdentity(devices);
  const parts = ['grant', agentId, revisionDigest, String(grantNumber), where, until];
  return ok({ previewDigest: sha256(encodeIdentity(parts)), revisionDigest, grantNumber, devices, expiresAtMs });
}

/** Recomputed in the write transaction: a permission can only be given for what the person looked at. */
export function giveGrant(
  connection: Connection,
  request: { agentId: AgentId; previewDigest: Digest; terms: GrantTerms; by: string },
): Result<{ grantDigest: Digest }, Problem> {
  const { agentId, previewDigest, terms, by } = request;
  const current = previewGrant(connection, agentId, terms);
  if (!current.ok) return current;
  if (current.value.previewDigest !== previewDigest) {
    return err(
      problem(
        'grant-stale',
        'The agent changed since you looked at it.',
        'Look at what it asks for now, then authorise it.',
      ),
    );
  }
  const { revisionDigest, grantNumber, devices, expiresAtMs } = current.value;
  const given = { agentId, revisionDigest, grantDigest: previewDigest, grantNumber, by };
  connection.journal.append('grant.given', { ...given, devices, expiresAtMs });
  return ok({ grantDigest: previewDigest });
}

/** Takes the permission of an agent back. Nothing of it starts or is sent from the next gate on. */
export function revokeGrant({ db, journal }: Connection, agentId: AgentId, by: string): void {
  const grant = activeGrant(db, agentId);
  if (grant !== null) journal.append('grant.revoked', { agentId, grantDigest: grant.grant_digest, by });
}

const ENDING = `FROM grants WHERE expires_at_ms IS NOT NULL AND revoked_at_ms IS NULL AND expired_at_ms IS NULL`;

/** When the next permission ends that has an end which is not written down yet, wall ms; `null` if there is none. */
export function nextGrantEnd(db: Database): number | null {
  return readOne<{ endsAtMs: number | null }>(db, `SELECT min(expires_at_ms) AS endsAtMs ${ENDING}`)?.endsAtMs ?? null;
}

/** Permissions whose end has come and is not written down yet. */
function endingGrants({ db, journal }: Pick<Connection, 'db' | 'journal'>): GrantRecord[] {
  return readAll<GrantRecord>(db, `SELECT * ${ENDING} AND expires_at_ms <= (SELECT ?)`, journal.nowMs());
}

/** Writes down that they have ended, so that a clock that is set back later does not revive them. */
export function noteEndedGrants(connection: Connection): void {
  for (const grant of endingGrants(connection)) {
    const { agent_id: agentId, grant_digest: grantDigest, expires_at_ms: expiresAtMs } = grant;
    if (expiresAtMs !== null) connection.journal.append('grant.expired', { agentId, grantDigest, expiresAtMs });
  }
}
