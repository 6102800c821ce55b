import type { EventPayloads } from '../../shared/contract/events.ts';
import type { StandingScopeView, StandingView } from '../../shared/contract/decision-views.ts';
import { isCoveredByStanding, standingScopes } from '../../shared/core/gate/standing.ts';
import { readAll } from '../store/connection.ts';
import type { AgentRecord, StandingRecord } from '../store/rows.ts';
import { grantNow } from '../store/grant-now.ts';
import { shortDigest } from './words.ts';
import type { ViewSource } from './view-source.ts';

/** The standing permissions of an agent that are in force now, newest first. */
export function standingViews(source: ViewSource, agent: AgentRecord): readonly StandingView[] {
  const { connection } = source;
  const { grant, standing } = grantNow(connection, agent.agent_id, agent.revision_digest);
  if (grant === null || standing.kind !== 'in-force') return [];
  const { grant_digest: grantDigest } = grant;
  return readAll<StandingRecord>(
    connection.db,
    'SELECT * FROM standing_permissions WHERE agent_id = ? AND revoked_at_ms IS NULL ORDER BY given_at_ms DESC',
    agent.agent_id,
  )
    .filter((given) => isInForce(source, given, grantDigest))
    .map((given) => ({
      standingId: given.standing_id,
      sentence: `At “${given.of_state_id}”: ${given.target}`,
      scope:
        given.input_digest === null
          ? 'Any input for this target'
          : `Only this input (${shortDigest(given.input_digest)})`,
      givenAtMs: given.given_at_ms,
      by: given.given_by,
      expiresAtMs: given.expires_at_ms,
    }));
}

/** By the core's own rule: it would answer the very question that it was made from. */
function isInForce({ connection }: ViewSource, given: StandingRecord, grantDigest: string): boolean {
  const { agent_id: agentId, of_state_id: ofStateId, tool, target, device_id: deviceId } = given;
  const same = { agentId, ofStateId, tool, target };
  return isCoveredByStanding(
    {
      ...same,
      grantDigest: given.grant_digest,
      inputDigest: given.input_digest,
      deviceId,
      expiresAtMs: given.expires_at_ms,
      isRevoked: given.revoked_at_ms !== null,
    },
    {
      ...same,
      grantDigest,
      inputDigest: given.input_digest ?? '',
      deviceId: connection.journal.deviceId,
      nowMs: connection.journal.nowMs(),
    },
  );
}

/** What *Allow like this* offers for a question, each with exactly what it would cover. */
export function scopeViews(request: EventPayloads['approval.requested']): readonly StandingScopeView[] {
  const sentences = {
    'same-input': {
      label: 'Only exactly this input',
      covers: 'Later questions of this agent at this step with exactly the same input, byte for byte.',
    },
    'same-target': {
      label: 'Any input, same target',
      covers: `Later questions of this agent at this step for ${request.target}, whatever the content.`,
    },
  } as const;
  return standingScopes(request.tool).map((scope) => ({ scope, ...sentences[scope] }));
}
