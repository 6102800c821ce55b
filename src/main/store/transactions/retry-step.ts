import type { EffectKey } from '../../../shared/contract/identifiers.ts';
import type { RetryPolicy, Strategy } from '../../../shared/contract/strategy.ts';
import { isUndoKey, isTurnKey } from '../../../shared/core/run/effect-key.ts';
import { isActing } from '../../../shared/core/run/next-state.ts';
import { decideRetry, isRepeatTooLate } from '../../../shared/core/run/retry.ts';
import type { RetryFacts } from '../../../shared/core/run/retry.ts';
import { ownMember } from '../../../shared/lib/own-member.ts';
import { readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { believableNow } from '../recovery-now.ts';
import { findRun, intentOf, outcomeOf } from '../rows.ts';
import type { AttemptRecord, FailedAttempt } from '../rows.ts';

/** Of attempts: those that left, or that somebody decided about (`hasLeft`). */
const HAS_LEFT = `(progress = 'in-flight' OR decision IS NOT NULL OR (progress = 'settled' AND output_digest IS NOT NULL))`;

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
  const attempt = readOne<AttemptRecord>(
    connection.db,
    `SELECT * FROM attempts WHERE run_id = (SELECT ?) AND effect_key = (SELECT ?) AND ${HAS_LEFT}
       ORDER BY attempt_number DESC LIMIT 1`,
    of.runId,
    of.effectKey,
  );
  const outcome = attempt === null || attempt.progress !== 'settled' ? null : outcomeOf(attempt);
  if (attempt === null || outcome?.kind !== 'failure') return null;
  return isRepeatTooLate(retryFacts(connection, { attempt, outcome, nowMs: of.nowMs })) ? { attempt, outcome } : null;
}

function retryFacts(
  connection: Connection,
  { attempt, outcome, nowMs }: FailedAttempt & { nowMs: number },
): RetryFacts {
  const { effectKind, dedupeUntilMs } = intentOf(attempt);
  const counted = readOne<{ made: number; repeats: number; sentBefore: number }>(
    connection.db,
    `SELECT sum(effect_key = :key) AS made, count(*) - count(DISTINCT effect_key) AS repeats,
         sum(effect_key = :key AND attempt_token <> :token AND coalesce(json_extract(outcome, '$.wasSent'), 1)) AS sentBefore
       FROM attempts WHERE run_id = :run AND state_id = :state AND ${HAS_LEFT}`,
    { key: attempt.effect_key, token: attempt.attempt_token, run: attempt.run_id, state: attempt.state_id },
  );
  return {
    class: outcome.class,
    wasSent: outcome.wasSent,
    wasSentBefore: (counted?.sentBefore ?? 0) > 0,
    effectKind,
    attemptsMade: counted?.made ?? 1,
    repeats: counted?.repeats ?? 0,
    dedupeUntilMs,
    nowMs: believableNow(connection, nowMs),
  };
}

/** A policy is about the step's own effect, or about the questions to a model; never about an undo or a model's calls. */
function policyOf(attempt: AttemptRecord, strategy: Strategy): RetryPolicy | undefined {
  const state = ownMember(strategy.states, attempt.state_id);
  if (state === undefined || !isActing(state) || isUndoKey(attempt.effect_key)) return undefined;
  return state.type !== 'model' || isTurnKey(attempt.effect_key) ? state.retry : undefined;
}
