import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { AgentId, AttemptIdentity, DeviceId } from '../../../shared/contract/identifiers.ts';
import { claimEffect } from '../../../shared/core/claim/claim-effect.ts';
import type { ClaimOwner, ClaimVerdict } from '../../../shared/core/claim/claim-effect.ts';
import { leavesATrace } from '../../../shared/core/effect/effect-kind.ts';
import { checkDispatch } from '../../../shared/core/fence/check-dispatch.ts';
import type { FenceDecision } from '../../../shared/core/fence/check-dispatch.ts';
import { evaluateDispatch } from '../../../shared/core/gate/evaluate-dispatch.ts';
import type { DispatchGate } from '../../../shared/core/gate/evaluate-dispatch.ts';
import type { DispatchIntent } from '../../../shared/core/intent/dispatch-intent.ts';
import type { LeaseInstant } from '../../../shared/core/lease/clock.ts';
import type { LeaseStanding } from '../../../shared/core/lease/held-lease.ts';
import type { CoordinatorIdentity, RegisterView } from '../../../shared/core/lease/lease.ts';
import { isPermitted, standingEntry } from '../../../shared/core/lease/tail.ts';
import type { AnnouncePermit, RegisterReply } from '../../../shared/core/lease/register.ts';
import type { RegisterAnswer } from '../../coordinators/lease-coordinator.ts';
import { readOne } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { foldedUpTo } from '../foreign-journals.ts';
import { grantNow } from '../grant-now.ts';
import { holdOf } from '../holds.ts';
import { claimOf, findAttempt, findRun, lastVisit } from '../rows.ts';
import type { AttemptRecord } from '../rows.ts';

/** Everything the first transaction of a dispatch is decided on that is not in the store. */
export interface DispatchRequest {
  /**
   * `fused`: everything in one commit, the common path. `claim`: an effect that has to wait (hold-off) is written down and
   * claimed as never started. `start`: the same attempt goes on, with gate and claim looked at anew.
   */
  readonly stage: 'fused' | 'claim' | 'start';
  readonly intent: EventPayloads['intent.recorded'];
  readonly kind: DispatchIntent['kind'];
  readonly owner: ClaimOwner;
  readonly now: LeaseInstant;
  readonly leaseUntil: LeaseInstant;
  readonly standing: LeaseStanding;
  readonly coordinator: CoordinatorIdentity;
  readonly permit: AnnouncePermit | null;
  readonly idempotencyKey: string;
  /** The authority in force for this effect, computed from the facts in this transaction. */
  readonly authority: (connection: Connection) => string | null;
  /** The register's answer to `announce` (or `current`, for a read-only call) when it lives elsewhere; else `null`. */
  readonly announced: RegisterAnswer | null;
}

/** What came of it. Only `dispatched` lets the effect go on to the last look. */
export type DispatchResult =
  | { readonly kind: 'dispatched' }
  /** Written down and claimed, not started. */
  | { readonly kind: 'claimed' }
  | { readonly kind: 'refused-by-gate'; readonly reason: string }
  | { readonly kind: 'refused-by-claim'; readonly verdict: Exclude<ClaimVerdict['kind'], 'granted'> }
  | { readonly kind: 'refused-by-fence'; readonly decision: Exclude<FenceDecision, { kind: 'proceed' }> }
  | { readonly kind: 'tail-full' };

/** T1: intent, gate, claim, fence and in-flight marker, decided and written in one transaction (protocol section 2). */
export function dispatchEffect(connection: Connection, request: DispatchRequest): DispatchResult {
  const { journal } = connection;
  const { intent } = request;
  const attempt: AttemptIdentity = { effect: intent.effect, attemptToken: intent.attemptToken };
  const { decision, facts } = askGate(connection, request);
  if (request.stage !== 'start') journal.append('intent.recorded', intent);
  journal.append('gate.decided', { ...attempt, decision, facts });
  if (decision.kind === 'refuse') return { kind: 'refused-by-gate', reason: decision.reason };

  const claim = decideClaim(connection, request, attempt);
  journal.append('claim.decided', {
    ...attempt,
    verdict: claim.kind,
    owner: request.owner,
    leaseUntil: request.leaseUntil,
  });
  if (claim.kind !== 'granted') return { kind: 'refused-by-claim', verdict: claim.kind };
  if (request.stage === 'claim') return { kind: 'claimed' };
  return passFence(connection, request, attempt);
}

/** What an effect is asked about at the gate. */
export type GateQuestion = Pick<DispatchRequest, 'intent' | 'kind' | 'authority'>;

/** The gate's answer at this moment, with the facts that it saw. Writes nothing. */
export function askGate(
  connection: Connection,
  question: GateQuestion,
): Pick<EventPayloads['gate.decided'], 'decision' | 'facts'> {
  const facts = gateFacts(connection, question);
  const decision = evaluateDispatch(facts, { ...question.intent, kind: question.kind });
  return { decision, facts: { ...facts, ...permissionFact(connection, question, facts) } };
}

function gateFacts({ db, ...rest }: Connection, request: GateQuestion): DispatchGate {
  const { effect, attemptToken, stateId } = request.intent;
  const run = findRun(db, effect.runId);
  const isCurrent = run !== null && run.state_id === stateId && run.ending === null;
  // The gate asks about this very attempt; a list of all earlier ones would grow with every refusal.
  const isSettled =
    readOne(db, `SELECT 1 FROM attempts WHERE attempt_token = ? AND progress = 'settled'`, attemptToken) !== null;
  return {
    committedGrantDigest: request.authority({ db, ...rest }),
    stopRequested: run === null || run.stop_requested === 1,
    barrierActive: run !== null && holdOf(db, run) !== null,
    stateHasVisits: true,
    currentStateVisit: isCurrent ? lastVisit(db, effect.runId, stateId) : null,
    settledAttempts: isSettled ? [{ effect, attemptToken }] : [],
  };
}

/** What was the matter with the permission, where it did not cover the effect; nothing where it did. */
function permissionFact(
  connection: Connection,
  { intent }: GateQuestion,
  facts: DispatchGate,
): Pick<EventPayloads['gate.decided']['facts'], 'permission'> {
  const run = facts.committedGrantDigest === null ? findRun(connection.db, intent.effect.runId) : null;
  if (run === null) return {};
  const { standing } = grantNow(connection, intent.effect.agentId, run.revision_digest);
  return standing.kind === 'in-force' ? {} : { permission: standing };
}

/** An earlier attempt that is neither settled nor decided stands in the way of a new one. */
function decideClaim({ db }: Connection, request: DispatchRequest, attempt: AttemptIdentity): ClaimVerdict {
  const { effect } = attempt;
  const own = request.stage === 'start' ? findAttempt(db, attempt.attemptToken) : null;
  // An attempt goes on once: one that has started already is not granted a second send, whoever asks.
  if (own !== null && own.progress === 'in-flight')
    return { kind: 'in-doubt', previousOwner: claimOf(own)?.owner ?? null };
  const open = readOne<AttemptRecord>(
    db,
    `SELECT * FROM attempts WHERE run_id = ? AND effect_key = ? AND attempt_token <> ? AND progress <> 'settled' AND decision IS NULL LIMIT 1`,
    effect.runId,
    effect.effectKey,
    attempt.attemptToken,
  );
  return claimEffect({
    attempt,
    existing: open === null ? (own === null ? null : claimOf(own)) : claimOf(open),
    progress: (open ?? own)?.progress ?? 'never-started',
    owner: request.owner,
    now: request.now,
    leaseUntil: request.leaseUntil,
  });
}

function passFence(connection: Connection, request: DispatchRequest, attempt: AttemptIdentity): DispatchResult {
  const { journal, register } = connection;
  const { intent, owner, permit } = request;
  const agentId: AgentId = intent.effect.agentId;
  const view = request.announced?.view ?? register.current(agentId);
  const decision = decideFence(connection, request, view);
  let announced: RegisterReply | null = request.announced?.reply ?? null;
  if (decision.kind === 'proceed' && announced === null && leavesATrace(intent.effectKind)) {
    const entry = { effect: intent.effect, attemptToken: intent.attemptToken, digest: intent.inputDigest };
    announced = register.ask(agentId, {
      verb: 'announce',
      deviceId: owner.deviceId,
      epoch: owner.epoch,
      entry,
      permit,
    }).reply;
  }
  const facts = {
    epoch: owner.epoch,
    registerEpoch: view.epoch,
    registerHolder: view.lease?.holder ?? null,
    coordinatorId: view.coordinator.coordinatorId,
    standing: request.standing.kind,
  };
  if (announced?.kind === 'tail-full') {
    const { open, settled } = announced;
    journal.append('fence.decided', { ...attempt, decision: { kind: 'tail-full', open, settled }, facts });
    return { kind: 'tail-full' };
  }
  const answer = decision.kind === 'proceed' ? afterAnnounce(announced, owner.epoch) : decision;
  journal.append('fence.decided', { ...attempt, decision: answer, facts });
  if (answer.kind !== 'proceed') return { kind: 'refused-by-fence', decision: answer };
  journal.append('effect.started', { ...attempt, epoch: owner.epoch, idempotencyKey: request.idempotencyKey });
  return { kind: 'dispatched' };
}

/** Only `announced` lets a `proceed` stand; every other reply is a no, in the fence's own words. */
function afterAnnounce(reply: RegisterReply | null, claimedEpoch: number): FenceDecision {
  switch (reply?.kind) {
    // `null`: a call that only reads is not announced.
    case undefined:
    case 'announced':
      return { kind: 'proceed' };
    case 'already-committed':
      return { kind: 'already-committed', committedOpId: reply.entry.opId ?? '' };
    case 'still-open':
    case 'settled-otherwise':
      return { kind: 'in-doubt', entry: reply.entry };
    case 'lost':
      if (reply.holder === null) return { kind: 'not-held', claimedEpoch };
      return { kind: 'stale-epoch', claimedEpoch, currentEpoch: reply.epoch, currentHolder: reply.holder };
    default:
      return { kind: 'lease-doubtful', standing: 'doubtful' };
  }
}

function decideFence({ db, journal }: Connection, request: DispatchRequest, view: RegisterView): FenceDecision {
  const { effect, attemptToken } = request.intent;
  const committed = readOne<{ op_id: string }>(
    db,
    `SELECT op_id FROM oracle WHERE agent_id = ? AND run_id = ? AND effect_key IN (?, '') LIMIT 1`,
    effect.agentId,
    effect.runId,
    effect.effectKey,
  );
  const blocking = standingEntry(view.tail, { effect, attemptToken });
  const { permit } = request;
  // The register's own rule: it will be asked the same question when the announce reaches it.
  const isCovered = blocking !== null && isPermitted(blocking, permit);
  const deviceId: DeviceId = request.owner.deviceId;
  return checkDispatch({
    committedOpId: committed?.op_id ?? null,
    deviceId,
    claimedEpoch: request.owner.epoch,
    register: view,
    coordinator: request.coordinator,
    folded: { ...foldedUpTo(db), [deviceId]: journal.head.journalSeq },
    blockingEntry: isCovered ? null : blocking,
    standing: request.standing,
  });
}
