import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { StateId } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { nextState } from '../../../shared/core/run/next-state.ts';
import { encodeIdentity } from '../../../shared/lib/identity.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { activeGrant, findApproval, findRun } from '../rows.ts';
import type { ApprovalRecord } from '../rows.ts';
import { endRun, enterState, failedEnding } from './move-run.ts';

/** A person's answer to a question. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly inputDigest: string;
  readonly isAllowed: boolean;
  readonly by: string;
  readonly reason: string;
  readonly strategy: Strategy;
  readonly nowMs: number;
}

/** Decides a question once; a late or second answer is told what was decided. */
export function decideApproval(connection: Connection, answer: ApprovalAnswer): Result<null, Problem> {
  const approval = findApproval(connection.db, answer.approvalId);
  if (approval === null) return err(problem('not-found', 'There is no such question any more.'));
  if (approval.state !== 'open') return err(alreadyAnswered(approval));
  if (approval.input_digest !== answer.inputDigest) {
    return err(problem('changed', 'What it would do has changed while you were looking.', 'Look again, then decide.'));
  }
  const { agent_id: agentId, run_id: runId } = approval;
  if (answer.nowMs >= approval.expires_at_ms) {
    expireApproval(connection, approval, answer);
    return err(
      problem(
        'already-decided',
        'Nobody answered in time, so it was not sent.',
        'Run the agent again to be asked again.',
      ),
    );
  }
  const { approvalId, isAllowed, by, reason } = answer;
  connection.journal.append('approval.decided', { agentId, runId, approvalId, isAllowed, by, reason });
  leaveQuestion(connection, approval, { ...answer, failText: 'You did not allow it' });
  return ok(null);
}

/** Time is up: it was not sent. Never a yes, and never somebody's no. */
export function expireApproval(
  connection: Connection,
  approval: ApprovalRecord,
  after: { strategy: Strategy; nowMs: number },
): void {
  const { agent_id: agentId, run_id: runId, approval_id: approvalId } = approval;
  connection.journal.append('approval.expired', { agentId, runId, approvalId });
  leaveQuestion(connection, approval, {
    ...after,
    isAllowed: false,
    failText: 'Nobody answered in time, so it was not sent',
  });
}

function leaveQuestion(
  connection: Connection,
  approval: ApprovalRecord,
  after: { strategy: Strategy; nowMs: number; isAllowed: boolean; failText: string },
): void {
  const run = findRun(connection.db, approval.run_id);
  const state = after.strategy.states[approval.state_id];
  if (run === null || run.ending !== null || state === undefined) return;
  const to: StateId | null = nextState(state, after.isAllowed ? 'success' : 'failure');
  if (to === null) return endRun(connection, run, failedEnding(connection, run), after.failText);
  const { agent_id: agentId, run_id: runId, state_id: fromStateId, state_visit: fromStateVisit } = approval;
  connection.journal.append('successor.released', { agentId, runId, fromStateId, fromStateVisit, toStateId: to });
  enterState(connection, run, after.strategy, to, after.nowMs);
}

function alreadyAnswered(approval: ApprovalRecord): Problem {
  const what = {
    allowed: 'it was allowed',
    'not-allowed': 'it was not allowed',
    expired: 'nobody answered in time, so it was not sent',
    withdrawn: 'the run ended before',
    open: '',
  };
  return problem('already-decided', `Already decided: ${what[approval.state]}.`, 'Nothing more is needed.', {
    decidedAtMs: approval.decided_at_ms,
  });
}

/**
 * The authority that an effect relies on: the permission of exactly this revision, and, where the strategy asks a person
 * first, one unused answer for exactly this input. `null` is none.
 */
export function authorityFor(
  { db }: Pick<Connection, 'db'>,
  effect: {
    agentId: string;
    runId: string;
    effectKey: string;
    stateId: string;
    revisionDigest: string;
    inputDigest: string;
    guardedBy: string | null;
  },
): string | null {
  const grant = activeGrant(db, effect.agentId);
  if (grant === null || grant.revision_digest !== effect.revisionDigest) return null;
  if (effect.guardedBy === null) return grant.grant_digest;
  const approval = readOne<ApprovalRecord>(
    db,
    `SELECT * FROM approvals WHERE run_id = ? AND of_state_id = ? AND input_digest = ? AND state = 'allowed' ORDER BY asked_at_ms DESC LIMIT 1`,
    effect.runId,
    effect.stateId,
    effect.inputDigest,
  );
  if (approval === null) return null;
  const authority = sha256(encodeIdentity([grant.grant_digest, approval.approval_id, effect.inputDigest]));
  const usedElsewhere = readOne(
    db,
    `SELECT 1 FROM attempts WHERE run_id = ? AND effect_key <> ? AND json_extract(intent, '$.grantDigest') = ? LIMIT 1`,
    effect.runId,
    effect.effectKey,
    authority,
  );
  return usedElsewhere === null ? authority : null;
}
