import type { EventPayloads } from '../../../shared/contract/events.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { standingScopes } from '../../../shared/core/gate/standing.ts';
import type { StandingScope } from '../../../shared/core/gate/standing.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { coveringPermission, knownEpoch } from '../authority.ts';
import { readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { grantNow } from '../grant-now.ts';
import { findApproval, findRun } from '../rows.ts';
import type { ApprovalRecord, StandingRecord } from '../rows.ts';
import { answerByStanding, decideApproval } from './decide-approval.ts';
import type { ApprovalAnswer } from './decide-approval.ts';

type Question = Omit<EventPayloads['approval.requested'], 'input'>;

/**
 * Answers a question that has just been written down, if a standing permission covers all of it. One that is asked again
 * because the last yes was used up is left to a person: a step that fails and is tried again would go out without end.
 */
export function answerWhereStanding(
  connection: Connection,
  question: Question,
  of: { revisionDigest: string; strategy: Strategy; nowMs: number },
): void {
  const { db } = connection;
  const { grant, standing } = grantNow(connection, question.agentId, of.revisionDigest);
  if (grant === null || standing.kind !== 'in-force' || wasUsedUp(connection, question)) return;
  const covering = coveringPermission(connection, { ...question, grantDigest: grant.grant_digest });
  if (covering === null) return;
  const epoch = knownEpoch(db, question.agentId);
  const { strategy, nowMs } = of;
  answerByStanding(connection, question.approvalId, { standingId: covering.standing_id, epoch, strategy, nowMs });
}

function wasUsedUp({ db }: Connection, question: Question): boolean {
  const before = readOne<ApprovalRecord>(
    db,
    `SELECT * FROM approvals WHERE run_id = ? AND of_state_id = ? AND approval_id <> ?
       ORDER BY asked_seq DESC LIMIT 1`,
    question.runId,
    question.ofStateId,
    question.approvalId,
  );
  return before?.state === 'stale' && before.stale_reason === 'already-used';
}

/** *Allow like this*: a yes to this question, and to later ones that are the same. */
export interface StandingAnswer extends Omit<ApprovalAnswer, 'isAllowed'> {
  readonly standingId: string;
  readonly scope: StandingScope;
  /** Wall ms. */
  readonly expiresAtMs: number;
}

/** Allows what is shown and gives the standing permission made from it, both or neither. */
export function allowLikeThis(connection: Connection, answer: StandingAnswer): Result<null, Problem> {
  const { db, journal } = connection;
  const approval = findApproval(db, answer.approvalId);
  const run = approval === null ? null : findRun(db, approval.run_id);
  if (approval === null || run === null) return err(problem('not-found', 'There is no such question any more.'));
  const { tool, target } = JSON.parse(approval.request) as EventPayloads['approval.requested'];
  if (!standingScopes(tool).includes(answer.scope))
    return err(problem('not-offered', 'That is not offered for this tool.', 'Allow exactly this input instead.'));
  if (answer.expiresAtMs <= journal.nowMs())
    return err(problem('input-invalid', 'It would have ended before it began.', 'Choose a later end.'));
  const { grant, standing } = grantNow(connection, run.agent_id, run.revision_digest);
  if (grant === null || standing.kind !== 'in-force')
    return err(
      problem('grant-missing', 'The agent itself has no permission to act as it is now.', 'Authorise the agent first.'),
    );
  const decided = decideApproval(connection, { ...answer, isAllowed: true });
  if (!decided.ok) return decided;
  journal.append('approval.standing-given', {
    agentId: run.agent_id,
    standingId: answer.standingId,
    approvalId: approval.approval_id,
    grantDigest: grant.grant_digest,
    ofStateId: approval.of_state_id,
    tool,
    target,
    inputDigest: answer.scope === 'same-input' ? (approval.input_digest as StandingRecord['input_digest']) : null,
    expiresAtMs: answer.expiresAtMs,
    by: answer.by,
  });
  return ok(null);
}

/** Takes a standing permission back. From the next gate on it answers nothing, not even what it has answered already. */
export function revokeStanding(connection: Connection, standingId: string, by: string): Result<null, Problem> {
  const found = readOne<StandingRecord>(
    connection.db,
    'SELECT * FROM standing_permissions WHERE standing_id = ?',
    standingId,
  );
  if (found === null) return err(problem('not-found', 'There is no such standing permission.'));
  if (found.revoked_at_ms !== null) return ok(null);
  connection.journal.append('approval.standing-revoked', { agentId: found.agent_id, standingId, by });
  return ok(null);
}
