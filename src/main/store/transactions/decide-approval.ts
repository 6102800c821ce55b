import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { nextState } from '../../../shared/core/run/next-state.ts';
import type { StepResult } from '../../../shared/core/run/next-state.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Connection } from '../connection.ts';
import { findApproval, findRun } from '../rows.ts';
import type { ApprovalRecord } from '../rows.ts';
import { templateScope } from '../run-scope.ts';
import { failRun } from './end-run.ts';
import { enterState } from './enter-state.ts';

/** A person's answer to a question. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly inputDigest: string;
  readonly isAllowed: boolean;
  readonly by: string;
  readonly reason: string;
  /** The lease that a yes is bound to; `null` if this device may not act for the agent now. */
  readonly epoch: number | null;
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
  // By the newest time that the record knows: a calendar that was set back does not make a question last longer.
  if (connection.journal.nowMs() >= approval.expires_at_ms) {
    expireApproval(connection, approval, answer);
    return err(
      problem(
        'already-decided',
        'Nobody answered in time, so it was not sent.',
        'Run the agent again to be asked again.',
      ),
    );
  }
  const { approvalId, isAllowed, by, reason, epoch } = answer;
  if (isAllowed && epoch === null) return err(notHolder());
  connection.journal.append('approval.decided', { agentId, runId, approvalId, isAllowed, by, reason, epoch });
  leaveQuestion(connection, approval, { ...answer, failText: 'You did not allow it' });
  return ok(null);
}

/** A yes is bound to the lease of the device that will act, so it can be given only where that one is held. */
export function notHolder(): Problem {
  return problem(
    'not-holder',
    'This device is still getting the right to act for this agent.',
    'Wait a few seconds and choose again. Nothing was sent and nothing was decided.',
  );
}

/** A question that a standing permission answers: a yes for exactly this, written down like any other. */
export function answerByStanding(
  connection: Connection,
  approvalId: string,
  by: { standingId: string; epoch: number | null; strategy: Strategy; nowMs: number },
): void {
  const approval = findApproval(connection.db, approvalId);
  if (approval === null || approval.state !== 'open') return;
  const { agent_id: agentId, run_id: runId } = approval;
  const { standingId, epoch } = by;
  const answer = {
    approvalId,
    isAllowed: true,
    by: `standing permission ${standingId}`,
    reason: '',
    epoch,
    standingId,
  };
  connection.journal.append('approval.decided', { agentId, runId, ...answer });
  leaveQuestion(connection, approval, { ...by, isAllowed: true, failText: '' });
}

/** Time is up: it was not sent. Never a yes, and never somebody's no. */
export function expireApproval(
  connection: Connection,
  approval: ApprovalRecord,
  after: { strategy: Strategy; nowMs: number },
): void {
  const { agent_id: agentId, run_id: runId, approval_id: approvalId } = approval;
  // Looked at anew: an answer may have been written in the same commit, and it came first.
  if (findApproval(connection.db, approvalId)?.state !== 'open') return;
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
  // A model's step goes on by itself, and tells the model what a person said.
  if (run === null || run.ending !== null || state === undefined || state.type === 'model') return;
  // Two devices may have asked the same. The run goes on once, from the question where it is.
  if (run.state_id !== approval.state_id || run.state_visit !== approval.state_visit) return;
  const result: StepResult = after.isAllowed ? { kind: 'success' } : { kind: 'failure', class: 'authority' };
  const next = nextState(state, result, templateScope(connection.db, run));
  if (!next.ok || next.value === null) return failRun(connection, run, next.ok ? after.failText : next.error);
  const { agent_id: agentId, run_id: runId, state_id: fromStateId, state_visit: fromStateVisit } = approval;
  connection.journal.append('successor.released', {
    agentId,
    runId,
    fromStateId,
    fromStateVisit,
    toStateId: next.value,
  });
  enterState(connection, run, after.strategy, next.value, after.nowMs);
}

function alreadyAnswered(approval: ApprovalRecord): Problem {
  const what = {
    allowed: 'it was allowed',
    'not-allowed': 'it was not allowed',
    expired: 'nobody answered in time, so it was not sent',
    withdrawn: 'the run ended before',
    stale: 'it was allowed, but that did not count any more and it was asked again',
    open: '',
  };
  const who = approval.decided_by === null ? '' : ` by ${approval.decided_by}`;
  const message = `Already decided${who}: ${what[approval.state]}.`;
  return problem('already-decided', message, 'Nothing more is needed.', {
    decidedAtMs: approval.decided_at_ms,
    decidedBy: approval.decided_by,
    deviceId: approval.device_id,
  });
}
