import type { EffectKey } from '../../../shared/contract/identifiers.ts';
import type { RetryPolicy, Strategy } from '../../../shared/contract/strategy.ts';
import { isUndoKey, isTurnKey } from '../../../shared/core/run/effect-key.ts';
import { isActing } from '../../../shared/core/run/next-state.ts';
import { decideRetry, isRepeatTooLate } from '../../../shared/core/run/retry.ts';
import type { RetryFacts } from '../../../shared/core/run/retry.ts';
import { hasLeft } from '../../../shared/core/successor/held-back.ts';
import { ownMember } from '../../../shared/lib/own-member.ts';
import { readAll } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { believableNow } from '../recovery-now.ts';
import { findRun, intentOf, outcomeOf } from '../rows.ts';
import type { AttemptRecord, FailedAttempt } from '../rows.ts';
import { knownOf } from '../step-attempts.ts';

/**
 * Writes down that a failed attempt is followed by another one later, where its policy and its kind allow that. It is decided on
 * what the record tells, so whoever finds a failure without it comes to what the device that wrote the failure would have.
 */
export function retryLater(
  connection: Connection,
  attempt: AttemptRecord,
  of: { outcome: FailedAttempt['outcome']; strategy: Strategy; nowMs: number },
): boolean {
  const policy = policyOf(attempt, of.strategy);
  if (policy === undefined || findRun(connection.db, attempt.run_id)?.stop_requested !== 0) return false;
  const decision = decideRetry(policy, retryFacts(connection, { ...of, attempt }));
  if (decision.kind !== 'retry') return false;
  connection.journal.append('run.retrying', {
    agentId: attempt.agent_id,
    runId: attempt.run_id,
    stateId: attempt.state_id,
    stateVisit: attempt.state_visit,
    attemptNumber: attempt.attempt_number,
    delayMs: decision.delayMs,
    untilMs: of.nowMs + decision.delayMs,
    code: of.outcome.code,
  });
  return true;
}

/**
 * The newest attempt at an effect, where it failed and another one could do it a second time by now, although that was safe
 * when it was decided; `null` where nothing stands against sending.
 */
export function tooLateToRepeat(
  connection: Connection,
  of: { runId: string; effectKey: EffectKey; nowMs: number },
): FailedAttempt | null {
  const attempts = readAll<AttemptRecord>(
    connection.db,
    'SELECT * FROM attempts WHERE run_id = (SELECT ?) AND effect_key = (SELECT ?) ORDER BY attempt_number DESC',
    of.runId,
    of.effectKey,
  );
  const attempt = attempts.find(mayHaveArrived) ?? null;
  const outcome = attempt === null || attempt.progress !== 'settled' ? null : outcomeOf(attempt);
  if (attempt === null || outcome?.kind !== 'failure') return null;
  return isRepeatTooLate(retryFacts(connection, { attempt, outcome, nowMs: of.nowMs })) ? { attempt, outcome } : null;
}

function retryFacts(
  connection: Connection,
  { attempt, outcome, nowMs }: FailedAttempt & { nowMs: number },
): RetryFacts {
  const { effectKind, dedupeUntilMs } = intentOf(attempt);
  const sql = 'SELECT * FROM attempts WHERE run_id = ? AND state_id = ?';
  const all = readAll<AttemptRecord>(connection.db, sql, attempt.run_id, attempt.state_id).filter(mayHaveArrived);
  const made = all.filter((each) => each.effect_key === attempt.effect_key);
  return {
    class: outcome.class,
    wasSent: outcome.wasSent,
    wasSentBefore: made.some((each) => each.attempt_token !== attempt.attempt_token && wasSent(each)),
    effectKind,
    attemptsMade: Math.max(1, made.length),
    repeats: all.length - new Set(all.map((each) => each.effect_key)).size,
    dedupeUntilMs,
    nowMs: believableNow(connection, nowMs),
  };
}

const mayHaveArrived = (attempt: AttemptRecord): boolean => hasLeft(knownOf(attempt));

/** Where nobody knows, it was. */
function wasSent(attempt: AttemptRecord): boolean {
  const outcome = outcomeOf(attempt);
  return outcome?.kind !== 'failure' || outcome.wasSent;
}

/** A policy is about the step's own effect, or about the questions to a model; never about an undo or a model's calls. */
function policyOf(attempt: AttemptRecord, strategy: Strategy): RetryPolicy | undefined {
  const state = ownMember(strategy.states, attempt.state_id);
  if (state === undefined || !isActing(state) || isUndoKey(attempt.effect_key)) return undefined;
  return state.type !== 'model' || isTurnKey(attempt.effect_key) ? state.retry : undefined;
}
