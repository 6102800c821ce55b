import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { AttemptIdentity } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import type { ClaimOwner } from '../../../shared/core/claim/claim-effect.ts';
import { leavesATrace } from '../../../shared/core/effect/effect-kind.ts';
import type { EffectOutcome } from '../../../shared/core/effect/effect-outcome.ts';
import type { TailOutcome } from '../../../shared/core/lease/register.ts';
import { isPartKey, isUndoKey } from '../../../shared/core/run/effect-key.ts';
import { settleEffect } from '../../../shared/core/settle/settle-effect.ts';
import type { CompletionVerdict } from '../../../shared/core/settle/settle-effect.ts';
import { hasDoubtBehind, tailOutcomeOf } from '../../../shared/core/settle/tail-outcome.ts';
import type { SettledFacts } from '../../../shared/core/settle/tail-outcome.ts';
import type { Connection } from '../connection.ts';
import { sha256 } from '../connection.ts';
import { claimOf, decisionOf, findAttempt, intentOf, outcomeOf } from '../rows.ts';
import type { AttemptRecord } from '../rows.ts';
import { releaseStep } from './release-step.ts';
import { retryLater } from './retry-step.ts';

/** What the executor reports about an attempt. */
export interface SettleRequest {
  readonly attempt: AttemptIdentity;
  readonly owner: ClaimOwner;
  readonly outcome: EffectOutcome;
  /** JSON text that later steps can look at. */
  readonly output: string;
  readonly summary: string;
  readonly tookMs: number | null;
  readonly strategy: Strategy;
  readonly nowMs: number;
  readonly isEmbedded: boolean;
}

/** The verdict, and the journal entry that a tail elsewhere has to be told about. */
export interface SettleResult {
  readonly verdict: CompletionVerdict;
  readonly tail: TailSettlement | null;
}

/** How a tail entry is to be settled. */
export interface TailSettlement {
  readonly status: TailOutcome;
  readonly opId: string;
  readonly seq: number;
}

/** T3: outcome, successor commands and events in one transaction; with the embedded register, the tail as well. */
export function settleAttempt(connection: Connection, request: SettleRequest): SettleResult {
  const attempt = findAttempt(connection.db, request.attempt.attemptToken);
  const lease = attempt === null ? null : claimOf(attempt);
  if (attempt === null || lease === null) return { verdict: { kind: 'rejected-stale-owner' }, tail: null };
  const outputDigest = sha256(`${JSON.stringify(request.outcome)}\n${request.output}`);
  const verdict = settleEffect({
    lease,
    progress: attempt.progress,
    recordedOutputDigest: attempt.output_digest,
    isInDoubt: attempt.in_doubt_at_ms !== null,
    completion: { ...request.attempt, owner: request.owner, outputDigest },
  });
  const { outcome, summary } = request;
  if (verdict.kind === 'late-evidence') {
    const output = connection.journal.keep(request.output);
    connection.journal.append('settle.late-evidence', { ...request.attempt, outcome, output, summary });
  }
  if (verdict.kind !== 'accepted') return { verdict, tail: null };
  if (outcome.kind === 'unclear') {
    const { owner } = request;
    connection.journal.append('recovery.in-doubt', {
      ...request.attempt,
      code: outcome.code,
      previousOwner: owner,
      lostSince: null,
    });
    return { verdict, tail: null };
  }
  return {
    verdict,
    tail: recordSettlement(connection, attempt, { ...request, outcome, outputDigest, settledBy: 'executor' }),
  };
}

/** What is written when an attempt is settled, whoever says so. */
export interface Settlement extends Pick<
  SettleRequest,
  'outcome' | 'output' | 'summary' | 'tookMs' | 'strategy' | 'nowMs' | 'isEmbedded'
> {
  readonly outcome: Exclude<EffectOutcome, { kind: 'unclear' }>;
  readonly outputDigest: EventPayloads['settle.recorded']['outputDigest'];
  readonly settledBy: EventPayloads['settle.recorded']['settledBy'];
}

/** Writes a settlement, settles the embedded tail, and releases what follows. */
export function recordSettlement(
  connection: Connection,
  attempt: AttemptRecord,
  settlement: Settlement,
): TailSettlement {
  const { journal, register } = connection;
  const effect = { agentId: attempt.agent_id, runId: attempt.run_id, effectKey: attempt.effect_key };
  const identity = { effect, attemptToken: attempt.attempt_token };
  const { outcome, outputDigest, summary, settledBy, tookMs } = settlement;
  const output = journal.keep(settlement.output);
  const event = journal.append('settle.recorded', {
    ...identity,
    outcome,
    outputDigest,
    output,
    summary,
    settledBy,
    tookMs,
  });
  const followed = followedBy(connection, attempt);
  const { effectKind } = intentOf(attempt);
  const facts = { outcome, isAnswered: true, effectKind, followed };
  const status = tailOutcomeOf(facts);
  if (settlement.isEmbedded && leavesATrace(effectKind)) {
    settleEmbeddedTail(register, connection, attempt, { status, opId: event.opId, seq: event.journalSeq });
  }
  if (outcome.kind === 'failure' && followed !== null && hasDoubtBehind(facts)) {
    askAgain(connection, followed.attempt);
    return { status, opId: event.opId, seq: event.journalSeq };
  }
  followStep(connection, attempt, settlement);
  return { status, opId: event.opId, seq: event.journalSeq };
}

/** What follows a settled attempt: another one at the same effect, the rest of its step, or the steps after it. */
function followStep(connection: Connection, attempt: AttemptRecord, settlement: Settlement): void {
  const { outcome, strategy, nowMs } = settlement;
  const effect = { agentId: attempt.agent_id, runId: attempt.run_id, effectKey: attempt.effect_key };
  if (outcome.kind === 'failure' && retryLater(connection, attempt, { outcome, strategy, nowMs })) return;
  // An undo that worked releases nothing: the step it belongs to is still to be done. One that failed ends that step.
  if (isUndoKey(attempt.effect_key) ? outcome.kind === 'success' : isPartKey(attempt.effect_key)) return;
  releaseStep(connection, {
    ...settlement,
    attempt: { effect, attemptToken: attempt.attempt_token },
    from: { stateId: attempt.state_id, stateVisit: attempt.state_visit },
    result: outcome,
    failText: settlement.summary,
  });
}

/** The unclear attempt that one was permitted to follow, and what is decided about it now; `null` for none. */
function followedBy(
  { db }: Pick<Connection, 'db'>,
  attempt: AttemptRecord,
): { readonly attempt: AttemptRecord; readonly choice: NonNullable<SettledFacts['followed']>['choice'] } | null {
  const { decidedAfter } = intentOf(attempt);
  const earlier = decidedAfter === null ? null : findAttempt(db, decidedAfter);
  return earlier === null ? null : { attempt: earlier, choice: decisionOf(earlier)?.choice ?? null };
}

/** How the tail is told of an attempt that is settled here; `null` for one that is not. */
export function tailStatusOf(connection: Pick<Connection, 'db'>, attempt: AttemptRecord): TailOutcome | null {
  const outcome = attempt.progress === 'settled' ? outcomeOf(attempt) : null;
  if (outcome === null || outcome.kind === 'unclear') return null;
  const isAnswered = attempt.output_digest !== null;
  const { effectKind } = intentOf(attempt);
  return tailOutcomeOf({ outcome, isAnswered, effectKind, followed: followedBy(connection, attempt) });
}

function askAgain({ journal }: Connection, doubt: AttemptRecord): void {
  const { agent_id: agentId, run_id: runId, effect_key: effectKey, attempt_token: attemptToken } = doubt;
  const effect = { agentId, runId, effectKey };
  journal.append('recovery.in-doubt', {
    effect,
    attemptToken,
    code: 'repeat-refused',
    previousOwner: null,
    lostSince: null,
  });
}

/**
 * The embedded register shares its database with the journal, so whoever can take over already has the entry: it is
 * settled and pruned in the same transaction. An entry that is gone or settled already is no fault.
 */
export function settleEmbeddedTail(
  register: Connection['register'],
  connection: Connection,
  attempt: Pick<AttemptRecord, 'agent_id' | 'run_id' | 'effect_key' | 'attempt_token' | 'epoch'>,
  settlement: TailSettlement,
): void {
  const { agent_id: agentId, run_id: runId, effect_key: effectKey, attempt_token: attemptToken } = attempt;
  const view = register.current(agentId);
  if (view.lease === null) return;
  const holder = { deviceId: view.lease.holder, epoch: view.lease.epoch };
  register.ask(agentId, {
    verb: 'settle-tail',
    effect: { agentId, runId, effectKey },
    attemptToken,
    ...settlement,
    ...holder,
  });
  register.ask(agentId, { verb: 'prune-tail', uptoSeq: connection.journal.head.journalSeq, ...holder });
}

/** Settles an effect that another record (the oracle, or the tail of the last holder) says has happened. */
export function settleFromRecord(
  connection: Connection,
  attempt: AttemptRecord,
  settlement: Pick<Settlement, 'strategy' | 'nowMs' | 'isEmbedded'> & { readonly committedOpId: string },
): void {
  const output = JSON.stringify({ committedBy: settlement.committedOpId });
  recordSettlement(connection, attempt, {
    ...settlement,
    outcome: { kind: 'success' },
    output,
    outputDigest: sha256(output),
    summary: 'It had happened before; it was not done again',
    tookMs: null,
    settledBy: 'tail',
  });
}
