import type { PermittedView } from '../../shared/contract/run-views.ts';
import { readOne } from '../store/connection.ts';
import { findSource } from '../store/rows.ts';
import type { GrantRecord } from '../store/rows.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The version of an agent that was permitted last, to compare the present one with. */
export function permittedView(source: ViewSource, agentId: string): PermittedView {
  const { db } = source.connection;
  const grant = readOne<GrantRecord>(
    db,
    'SELECT * FROM grants WHERE agent_id = ? ORDER BY grant_number DESC LIMIT 1',
    agentId,
  );
  const text = grant === null ? null : findSource(db, grant.revision_digest);
  if (grant === null || text === null) return { sequence: sequenceOf(source), permitted: null };
  return {
    sequence: sequenceOf(source),
    permitted: {
      revisionDigest: grant.revision_digest,
      source: text,
      isInForce: grant.revoked_at_ms === null && grant.expired_at_ms === null,
    },
  };
}
