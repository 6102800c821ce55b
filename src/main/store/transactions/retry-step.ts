import type { RetryPolicy, Strategy } from '../../../shared/contract/strategy.ts';
import type { EffectOutcome } from '../../../shared/core/effect/effect-outcome.ts';
import { isUndoKey, isTurnKey } from '../../../shared/core/run/effect-key.ts';
import { isActing } from '../../../shared/core/run/next-state.ts';
import { decideRetry } from '../../../shared/core/run/retry.ts';
import { ownMember } from '../../../shared/lib/own-member.ts';
import { readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { findRun, intentOf } from '../rows.ts';
import type { AttemptRecord } from '../rows.ts';

/** Writes down that a failed attempt is followed by another one later, where its policy and its kind allow that. */
export function retryLater(
  connection: Connection,
  attempt: AttemptRecord,
  of: { outcome: Extract<EffectOutcome, { kind: 'failure' }>; strategy: Strategy; nowMs: number },
): boolean {
  const policy = policyOf(attempt, of.strategy);
  if (policy === undefined || findRun(connection.db, attempt.run_id)?.stop_requested !== 0) return false;
  const { effectKind, dedupeUntilMs } = intentOf(attempt);
  const repeats = readOne<{ count: number }>(
    connection.db,
    'SELECT count(*) AS count FROM attempts WHERE run_id = ? AND state_id = ? AND attempt_number > 1',
    attempt.run_id,
    attempt.state_id,
  );
  const decision = decideRetry(policy, {
    class: of.outcome.class,
    wasSent: of.outcome.wasSent,
    effectKind,
    attemptNumber: attempt.attempt_number,
    repeats: repeats?.count ?? 0,
    dedupeUntilMs,
    nowMs: of.nowMs,
  });
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

/** A policy is about the step's own effect, or about the questions to a model; never about an undo or a model's calls. */
function policyOf(attempt: AttemptRecord, strategy: Strategy): RetryPolicy | undefined {
  const state = ownMember(strategy.states, attempt.state_id);
  if (state === undefined || !isActing(state) || isUndoKey(attempt.effect_key)) return undefined;
  return state.type !== 'model' || isTurnKey(attempt.effect_key) ? state.retry : undefined;
}
