import type { Database } from 'better-sqlite3';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { AttemptIdentity, StateId } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { laterSteps, usualNext } from '../../../shared/core/run/next-state.ts';
import { isPartKey } from '../../../shared/core/run/effect-key.ts';
import { checkDecision } from '../../../shared/core/recovery/recovery-options.ts';
import type { DecisionBinding, RecoveryChoice, RecoveryFacts } from '../../../shared/core/recovery/recovery-options.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { readOne, sha256 } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { evidenceOf } from '../recovery-now.ts';
import { decisionOf, findAttempt, findRun, intentOf } from '../rows.ts';
import type { AttemptRecord, RunRecord } from '../rows.ts';
import { releaseStep } from './release-step.ts';
import { recordSettlement } from './settle-effect.ts';
import type { TailSettlement } from './settle-effect.ts';

/** The facts about an unclear attempt that its choices depend on. */
export function recoveryFacts(
  attempt: AttemptRecord,
  run: RunRecord,
  strategy: Strategy,
  nowMs: number,
): RecoveryFacts {
  const intent = intentOf(attempt);
  const state = strategy.states[attempt.state_id];
  const next = state === undefined ? null : usualNext(state, 'success');
  return {
    effectKind: intent.effectKind,
    attemptNumber: attempt.attempt_number,
    isDecided: attempt.decision !== null || (attempt.progress === 'settled' && attempt.in_doubt_at_ms !== null),
    isRunStopped: run.stop_requested === 1,
    nextOnSuccess: titleOf(strategy, next),
    nextOnUnclear: actingTitleOf(strategy, state === undefined ? null : usualNext(state, 'unclear')),
    laterSteps: laterSteps(strategy, next),
    hasUndo: intent.hasUndo,
    isDestructive: intent.isDestructive,
    dedupeUntilMs: intent.dedupeUntilMs,
    nowMs,
    evidence: evidenceOf(attempt),
  };
}

function titleOf(strategy: Strategy, stateId: StateId | null): string | null {
  return stateId === null ? null : (strategy.states[stateId]?.title ?? stateId);
}

/** A state that only ends the run is no way on: nothing acts there, and the stop can be taken back at any time. */
function actingTitleOf(strategy: Strategy, stateId: StateId | null): string | null {
  const type = stateId === null ? undefined : strategy.states[stateId]?.type;
  return type === 'done' || type === 'fail' ? null : titleOf(strategy, stateId);
}

/** A decision by a person about one unclear attempt. */
export interface DecisionRequest extends DecisionBinding {
  readonly choice: RecoveryChoice;
  readonly by: string;
  readonly reason: string;
  readonly strategy: Strategy;
  readonly nowMs: number;
  readonly isEmbedded: boolean;
}

/** Applies a decision if it still fits what the person saw: compare-and-set, one transaction. */
export function decideRecovery(
  connection: Connection,
  request: DecisionRequest,
): Result<TailSettlement | null, Problem> {
  const attempt = findAttempt(connection.db, request.attemptToken);
  const run = attempt === null ? null : findRun(connection.db, attempt.run_id);
  if (attempt === null || run === null) return err(problem('not-found', 'There is no such step any more.'));
  const facts = recoveryFacts(attempt, run, request.strategy, request.nowMs);
  const current = {
    attemptToken: attempt.attempt_token,
    inputDigest: attempt.input_digest,
    epoch: attempt.epoch,
    facts,
  };
  const verdict = checkDecision(request.choice, request, current);
  if (verdict.kind === 'already-decided') return err(alreadyDecided(attempt));
  if (verdict.kind === 'changed')
    return err(problem('changed', 'It changed while you were looking.', 'Look again, then decide.'));
  if (verdict.kind === 'not-offered')
    return err(problem('not-offered', 'This answer is not possible here.', 'Choose another answer.'));
  const identity: AttemptIdentity = {
    effect: { agentId: attempt.agent_id, runId: attempt.run_id, effectKey: attempt.effect_key },
    attemptToken: attempt.attempt_token,
  };
  const { choice, by, reason, epoch } = request;
  connection.journal.append('recovery.decided', { ...identity, choice, by, reason, epoch });
  if (choice === 'it-happened') return ok(settleAsHappened(connection, attempt, request));
  if (choice === 'stop-here') {
    const from = { stateId: attempt.state_id, stateVisit: attempt.state_visit };
    releaseStep(connection, { ...request, attempt: identity, from, result: { kind: 'unclear' }, failText: '' });
  }
  return ok(null);
}

function settleAsHappened(connection: Connection, attempt: AttemptRecord, request: DecisionRequest): TailSettlement {
  const output = JSON.stringify({ decidedBy: request.by });
  return recordSettlement(connection, attempt, {
    ...request,
    outcome: { kind: 'success' },
    output,
    outputDigest: sha256(output),
    summary: 'You said it happened',
    tookMs: null,
    settledBy: 'person',
  });
}

function alreadyDecided(attempt: AttemptRecord): Problem {
  const decision = decisionOf(attempt);
  const words = {
    'it-happened': 'it happened',
    'send-again': 'send it again',
    'undo-then-send': 'undo it, then send it again',
    'stop-here': 'stop here',
    repeat: 'repeated safely',
  };
  const what = decision === null ? 'it was settled by its answer' : `${words[decision.choice]} (${decision.by})`;
  return problem('already-decided', `Already decided: ${what}.`, 'Nothing more is needed.', {
    decidedAtMs: attempt.decided_at_ms,
  });
}

/** Whether a decision can still be taken back: while the run rests at that step, or has not begun the one after it. */
export function canReopen(connection: Pick<Connection, 'db'>, attempt: AttemptRecord): boolean {
  const decision = decisionOf(attempt);
  const run = findRun(connection.db, attempt.run_id);
  if (run === null || (decision?.choice !== 'stop-here' && decision?.choice !== 'it-happened')) return false;
  if (!isParentWaiting(connection.db, run)) return false;
  const isStillThere = run.state_id === attempt.state_id && run.state_visit === attempt.state_visit;
  if (isStillThere) return !isPartKey(attempt.effect_key) || isNewest(connection.db, attempt);
  if (run.ending !== null && decision.choice !== 'stop-here') return false;
  const followed = readOne<{ to_state: string }>(
    connection.db,
    `SELECT json_extract(payload, '$.toStateId') AS to_state FROM ops WHERE run_id = ? AND kind = 'successor.released'
       AND json_extract(payload, '$.fromStateId') = ? AND json_extract(payload, '$.fromStateVisit') = ? ORDER BY seq DESC LIMIT 1`,
    run.run_id,
    attempt.state_id,
    attempt.state_visit,
  );
  const begun = readOne(
    connection.db,
    'SELECT 1 FROM attempts WHERE run_id = ? AND state_id = ? AND state_visit = ?',
    run.run_id,
    run.state_id,
    run.state_visit,
  );
  return followed?.to_state === run.state_id && begun === null && run.phase !== 'needs-approval';
}

/** A branch can be taken up again only while the run that it belongs to has not gone on without it. */
function isParentWaiting(db: Database, run: RunRecord): boolean {
  if (run.parent_run_id === null) return true;
  const parent = findRun(db, run.parent_run_id);
  if (parent === null || parent.phase !== 'branching') return false;
  return parent.state_id === run.parent_state_id && parent.state_visit === run.parent_state_visit;
}

/** Whether a step of several parts has not gone on behind this one. */
function isNewest(db: Database, attempt: AttemptRecord): boolean {
  const later = readOne(
    db,
    `SELECT 1 FROM attempts WHERE run_id = ? AND state_id = ? AND state_visit = ?
       AND rowid > (SELECT rowid FROM attempts WHERE attempt_token = ?)`,
    attempt.run_id,
    attempt.state_id,
    attempt.state_visit,
    attempt.attempt_token,
  );
  return later === null;
}

/** Takes a decision back: the step is unclear again and in *Needs you*. */
export function reopenRecovery(connection: Connection, attemptToken: string, by: string): Result<null, Problem> {
  const attempt = findAttempt(connection.db, attemptToken);
  if (attempt === null) return err(problem('not-found', 'There is no such step any more.'));
  if (!canReopen(connection, attempt)) {
    return err(
      problem(
        'not-offered',
        'This decision can no longer be taken back: a later step has started.',
        'Start a new run instead.',
      ),
    );
  }
  const effect = { agentId: attempt.agent_id, runId: attempt.run_id, effectKey: attempt.effect_key };
  connection.journal.append('recovery.reopened', { effect, attemptToken: attempt.attempt_token, by });
  return ok(null);
}
