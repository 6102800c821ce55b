import type { Database } from 'better-sqlite3';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import type { TailEntry } from '../../shared/core/lease/register.ts';
import { readOne } from './connection.ts';
import { readProfile, writeProfile } from './profile-values.ts';

const keyOf = (agentId: AgentId): string => `lost-part:${agentId}`;

/**
 * Notes that this record has lost a part of its own journal, seen under an epoch of an agent. Inside a write of the store. What it
 * writes from then on hides the gap, so it is kept.
 */
export function noteLostPart(db: Database, agentId: AgentId, epoch: number): void {
  writeProfile(db, keyOf(agentId), String(Math.max(epoch, lostPartUpTo(db, agentId))));
}

/** The last epoch of an agent of which this record may have forgotten what it sent; 0 where nothing was seen to be lost. */
function lostPartUpTo(db: Database, agentId: AgentId): number {
  return Number(readProfile(db, keyOf(agentId)) ?? 0);
}

/**
 * Whether this record may have forgotten an attempt that its own device announced: it has lost a part, or does not even know the
 * grant that the attempt was announced under, which is written down before anything is.
 */
export function mayHaveForgotten(db: Database, { effect, epoch, deviceId }: TailEntry): boolean {
  const { agentId } = effect;
  if (epoch <= lostPartUpTo(db, agentId)) return true;
  const acquired = `SELECT 1 FROM ops WHERE kind = 'lease.acquired' AND agent_id = ? AND device_id = ?
    AND json_extract(payload, '$.epoch') = ? LIMIT 1`;
  return readOne(db, acquired, agentId, deviceId, epoch) === null;
}
