import type { Database } from 'better-sqlite3';
import type { EffectKey, RunId, StateId, AgentId } from '../../shared/contract/identifiers.ts';
import { approvalStanding } from '../../shared/core/gate/approval.ts';
import type { ApprovalStanding, ApprovalUse, StaleReason } from '../../shared/core/gate/approval.ts';
import { isCoveredByStanding } from '../../shared/core/gate/standing.ts';
import { letsFollow } from '../../shared/core/recovery/recovery-options.ts';
import { isPartKey } from '../../shared/core/run/effect-key.ts';
import { encodeIdentity } from '../../shared/lib/identity.ts';
import { readAll, readOne, sha256 } from './connection.ts';
import { grantNow } from './grant-now.ts';
import type { Reading } from './grant-now.ts';
import { decisionOf, outcomeOf } from './rows.ts';
import type { ApprovalRecord, AttemptRecord, GrantRecord, StandingRecord } from './rows.ts';

/** An effect that looks for its authority. */
export interface GuardedEffect {
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly effectKey: EffectKey;
  readonly stateId: StateId;
  readonly revisionDigest: string;
  readonly inputDigest: string;
  /** The state that asks a person first, if there is one. */
  readonly guardedBy: StateId | null;
}

/**
 * The authority that an effect relies on: the permission of exactly this revision, in force on this device, and, where the
 * strategy asks a person first, one unused answer for exactly this input under this lease. `null` is none.
 */
export function authorityFor(connection: Reading, effect: GuardedEffect): string | null {
  const { grant, standing } = grantNow(connection, effect.agentId, effect.revisionDigest);
  if (grant === null || standing.kind !== 'in-force') return null;
  if (effect.guardedBy === null) return grant.grant_digest;
  const approval = newestAnswer(connection.db, effect);
  if (approval === null || answerStanding(connection, approval, { effect, grant }).kind !== 'usable') return null;
  return authorityOf(grant.grant_digest, approval);
}

/**
 * An answer that does not count, or not any more, so that a person has to be asked anew while the agent itself may act; `null`
 * if there is none.
 */
export function staleAnswer(
  connection: Reading,
  effect: GuardedEffect,
): {
  readonly approval: ApprovalRecord;
  readonly reason: StaleReason;
} | null {
  const { grant, standing } = grantNow(connection, effect.agentId, effect.revisionDigest);
  if (grant === null || standing.kind !== 'in-force' || effect.guardedBy === null) return null;
  const approval = newestAnswer(connection.db, effect);
  const answer = approval === null ? null : answerStanding(connection, approval, { effect, grant });
  if (approval === null || answer === null || answer.kind === 'usable') return null;
  if (answer.kind === 'stale') return { approval, reason: answer.reason };
  const overtaken = newestAnswer(connection.db, effect, 'allowed') ?? (isOver(approval, effect) ? approval : null);
  return overtaken === null ? null : { approval: overtaken, reason: 'overtaken' };
}

/** Whether nobody can answer a question any more although its step is still to be done. About a call, its model is told. */
function isOver(approval: ApprovalRecord, effect: GuardedEffect): boolean {
  return approval.state !== 'open' && effect.guardedBy !== effect.stateId;
}

/** The newest lease that this device knows of for an agent: what answers are bound to. */
export function knownEpoch(db: Database, agentId: string): number | null {
  // A mark of 0 says where the agent belongs, and that nobody ever held it.
  const sql = 'SELECT epoch FROM high_water WHERE agent_id = ? AND epoch > 0';
  return readOne<{ epoch: number }>(db, sql, agentId)?.epoch ?? null;
}

/** The standing permission that answers a question here and now; `null` if a person has to. */
export function coveringPermission(
  { db, journal }: Reading,
  question: {
    agentId: string;
    grantDigest: string;
    ofStateId: string;
    tool: string;
    target: string;
    inputDigest: string;
  },
): StandingRecord | null {
  const asked = { ...question, deviceId: journal.deviceId, nowMs: journal.nowMs() };
  const given = readAll<StandingRecord>(
    db,
    'SELECT * FROM standing_permissions WHERE agent_id = ? AND revoked_at_ms IS NULL ORDER BY standing_id',
    question.agentId,
  );
  return given.find((each) => isCoveredByStanding(permissionOf(each), asked)) ?? null;
}

/** The newest question about an effect; or the newest one in a state. */
function newestAnswer(
  db: Database,
  effect: GuardedEffect,
  state: ApprovalRecord['state'] | null = null,
): ApprovalRecord | null {
  return readOne<ApprovalRecord>(
    db,
    `SELECT * FROM approvals WHERE run_id = (SELECT ?) AND of_state_id = (SELECT ?)
       AND coalesce(json_extract(request, '$.effectKey'), '') = (SELECT ?) AND state = coalesce(?, state)
       ORDER BY asked_seq DESC LIMIT 1`,
    effect.runId,
    effect.stateId,
    isPartKey(effect.effectKey) ? effect.effectKey : '',
    state,
  );
}

function answerStanding(
  connection: Reading,
  approval: ApprovalRecord,
  of: { effect: GuardedEffect; grant: GrantRecord },
): ApprovalStanding {
  const { db, journal } = connection;
  const { effect, grant } = of;
  if (approval.state !== 'allowed' && approval.state !== 'expired') return { kind: 'none' };
  return approvalStanding(
    {
      isAllowed: approval.state === 'allowed',
      inputDigest: approval.input_digest,
      deviceId: approval.device_id,
      epoch: approval.epoch,
      isStandingOver: isStandingOver(connection, approval, grant),
      uses: usesOf(db, approval),
    },
    {
      inputDigest: effect.inputDigest,
      effectKey: effect.effectKey,
      deviceId: journal.deviceId,
      epoch: knownEpoch(db, effect.agentId),
    },
  );
}

/** An answer that a standing permission gave holds only as long as that one does. */
function isStandingOver({ db, journal }: Reading, approval: ApprovalRecord, grant: GrantRecord): boolean {
  if (approval.standing_id === null) return false;
  const given = readOne<StandingRecord>(
    db,
    'SELECT * FROM standing_permissions WHERE standing_id = ?',
    approval.standing_id,
  );
  if (given === null) return true;
  const { agent_id: agentId, of_state_id: ofStateId, input_digest: inputDigest } = approval;
  const { tool, target } = given;
  const asked = { agentId, ofStateId, tool, target, inputDigest, grantDigest: grant.grant_digest };
  return !isCoveredByStanding(permissionOf(given), { ...asked, deviceId: journal.deviceId, nowMs: journal.nowMs() });
}

function permissionOf(record: StandingRecord): Parameters<typeof isCoveredByStanding>[0] {
  return {
    agentId: record.agent_id,
    grantDigest: record.grant_digest,
    ofStateId: record.of_state_id,
    tool: record.tool,
    target: record.target,
    inputDigest: record.input_digest,
    deviceId: record.device_id,
    expiresAtMs: record.expires_at_ms,
    isRevoked: record.revoked_at_ms !== null,
  };
}

/** Bound to the permission as well: without one, or under another one, an answer is no authority. */
function authorityOf(grantDigest: string, approval: ApprovalRecord): string {
  return sha256(encodeIdentity([grantDigest, approval.approval_id, approval.input_digest]));
}

/** Every attempt that relied on an answer, under whichever permission of its agent. */
function usesOf(db: Database, approval: ApprovalRecord): ApprovalUse[] {
  const grants = readAll<{ grant_digest: string }>(
    db,
    'SELECT grant_digest FROM grants WHERE agent_id = ?',
    approval.agent_id,
  );
  const authorities = grants.map((grant) => authorityOf(grant.grant_digest, approval));
  return readAll<AttemptRecord>(
    db,
    `SELECT * FROM attempts WHERE run_id = ? AND json_extract(intent, '$.grantDigest') IN (SELECT value FROM json_each(?))`,
    approval.run_id,
    JSON.stringify(authorities),
  ).map((attempt) => ({ effectKey: attempt.effect_key, left: whatLeft(attempt) }));
}

function whatLeft(attempt: AttemptRecord): ApprovalUse['left'] {
  const choice = decisionOf(attempt)?.choice;
  if (choice !== undefined && letsFollow(choice)) return 'decided-again';
  const outcome = outcomeOf(attempt);
  const isUnsent = outcome !== null && outcome.kind === 'failure' && !outcome.wasSent;
  return attempt.progress === 'never-started' || isUnsent ? 'nothing' : 'something';
}
