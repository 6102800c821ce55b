import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { AgentId, AttemptIdentity, Digest } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import type { TailOutcome } from '../../shared/core/lease/register.ts';
import { automaticRecovery, isNoFinal } from '../../shared/core/recovery/automatic-recovery.ts';
import type { RecoveryChoice } from '../../shared/core/recovery/recovery-options.ts';
import type { LeaseStanding } from '../../shared/core/lease/held-lease.ts';
import { encodeIdentity } from '../../shared/lib/identity.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { readAll, sha256 } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';
import { findAttempt, findRun, intentOf } from '../store/rows.ts';
import type { AttemptRecord } from '../store/rows.ts';
import { decideRecovery, reopenRecovery } from '../store/transactions/decide-recovery.ts';
import type { ReadMemory } from '../store/read-memory.ts';
import { sweepClaims, unjudgedAttempts } from '../store/transactions/recover-claims.ts';
import { recordSettlement } from '../store/transactions/settle-effect.ts';
import { forgetObservation } from '../tools/tool.ts';
import type { PreparedCall, ProbeAnswer } from '../tools/tool.ts';
import { actAgain } from './act.ts';
import { prepareCall } from './pipeline/intent.ts';
import { isHeldBack } from './held-back.ts';
import type { PipelineState } from './pipeline/pipeline.ts';
import { believableNow, doubtCodeOf, recordedFacts } from '../store/recovery-now.ts';
import { becomesHolder } from './right-to-act.ts';
import { settleFromTail } from './tail-evidence.ts';

const isLive = (standing: LeaseStanding): boolean => standing.kind === 'live';
/** How long a read-only check may take, ms. */
const PROBE_LIMIT_MS = 30_000;

/** The eleventh word: what happens when the ten did not finish. */

/**
 * Judges what earlier holders and earlier starts of this host left behind, then does what needs nobody's answer. Called twice a
 * second for as long as anything is open: what the record says is read again only when it says something new.
 */
export async function recoverAgent(state: PipelineState, agentId: AgentId, memory: ReadMemory): Promise<void> {
  await settleFromTail(state, agentId);
  const connection = state.ports.store.connection();
  if (connection === null) return;
  const unjudged = memory.recall(connection, `unjudged ${agentId}`, (db) => unjudgedAttempts(db, agentId));
  if (unjudged.length > 0 && !(await sweepAgent(state, agentId))) return;
  if (state.leases.held(agentId) !== null) await recoverAutomatically(state, agentId, memory);
}

/** Answers whether every claim could be judged under a right to act that was there. */
async function sweepAgent(state: PipelineState, agentId: AgentId): Promise<boolean> {
  const { ports, inFlight, leases } = state;
  const now = ports.clock.instant();
  const held = leases.held(agentId);
  const tail = leases.status(agentId).view?.tail ?? [];
  const announced = new Set(tail.filter(({ status }) => status === 'open').map((entry) => entry.attemptToken));
  const swept = await ports.store.write((connection) =>
    sweepClaims(connection, {
      agentId,
      now,
      isEmbedded: ports.coordinator.inside !== null,
      epoch: held?.epoch ?? null,
      isAnnounced: (attemptToken) => announced.has(attemptToken),
      isMine: (claim) => claim.owner.hostId === ports.hostId && inFlight.has(claim.attemptToken),
    }),
  );
  if (!swept.ok || held === null) return false;
  if (swept.value.inDoubt.length > 0) ports.passed('after-in-doubt');
  // At once and only for what was announced: the loop that keeps the lease alive waits for it.
  const taken = swept.value.reclaimed.filter((attempt) => announced.has(attempt.attemptToken));
  await Promise.all(taken.map((attempt) => settleTail(state, attempt, 'withdrawn')));
  return true;
}

/** Unclear attempts that nobody has decided about. */
function unclearAttempts(connection: Connection, agentId: AgentId, memory: ReadMemory): readonly AttemptRecord[] {
  const sql = `SELECT * FROM attempts WHERE agent_id = ? AND in_doubt_at_ms IS NOT NULL AND progress <> 'settled' AND decision IS NULL`;
  return memory.recall(connection, `unclear ${agentId}`, (db) => readAll<AttemptRecord>(db, sql, agentId));
}

async function recoverAutomatically(state: PipelineState, agentId: AgentId, memory: ReadMemory): Promise<void> {
  const { ports, leases } = state;
  // The last holder may still be within its send window: nothing is repeated or probed before the hold-off is over.
  const before = ports.store.connection();
  if (before === null || leases.standing(agentId).kind !== 'live' || isHeldBack(state)) return;
  for (const attempt of unclearAttempts(before, agentId, memory)) {
    const connection = ports.store.connection();
    if (connection === null) return;
    const name = `facts of ${attempt.attempt_token}`;
    const facts = memory.recall(connection, name, (db) => recordedFacts(db, attempt));
    const next = automaticRecovery({ ...facts, nowMs: believableNow(connection, ports.clock.read().wallMs) });
    if (next.kind === 'probe') await probeOrAsk(state, attempt);
    if (next.kind === 'repeat')
      await repeat(state, attempt, facts.effectKind === 'read-only' ? 'read-only' : 'idempotent-by-key');
  }
}

/** A look that could not be taken or recorded is no answer: the step becomes a question instead of waiting unseen. */
async function probeOrAsk(state: PipelineState, attempt: AttemptRecord): Promise<void> {
  const probed = await probeAttempt(state, attempt, 'Fencepost');
  if (probed.ok) return;
  const silent = {
    ...identityOf(attempt),
    answer: 'silent',
    summary: `It could not be checked: ${probed.error.message}`,
    by: 'Fencepost',
  } as const;
  await state.ports.store.write(({ journal }) => journal.append('recovery.probed', silent));
}

async function repeat(
  state: PipelineState,
  attempt: AttemptRecord,
  reason: 'read-only' | 'idempotent-by-key' | 'did-not-happen',
): Promise<void> {
  const identity = identityOf(attempt);
  await state.ports.store.write((connection) => {
    const now = findAttempt(connection.db, attempt.attempt_token);
    if (now === null || now.decision !== null || now.progress === 'settled') return;
    connection.journal.append('recovery.repeated', { ...identity, reason });
  });
}

/** A read-only look at whether it happened. A definite answer settles an undecided attempt; silence leaves it in doubt. */
export async function probeAttempt(
  state: PipelineState,
  attempt: AttemptRecord,
  by: string,
): Promise<Result<ProbeAnswer, Problem>> {
  const { ports } = state;
  const found = await prepareAgain(state, attempt);
  if (!found.ok) return found;
  const { prepared, strategy } = found.value;
  const effectId = sha256(encodeIdentity([attempt.agent_id, attempt.run_id, attempt.effect_key]));
  const limit = new AbortController();
  const cancelLimit = ports.timers.after(PROBE_LIMIT_MS, () => limit.abort(new Error('The check took too long.')));
  const look = await ports.tools.verify(prepared, { effectId, epoch: attempt.epoch, signal: limit.signal });
  cancelLimit();
  const identity = identityOf(attempt);
  const isByPerson = by !== 'Fencepost';
  const written = await ports.store.write((connection) => {
    const answer = isByPerson ? look : believed(look, doubtCodeOf(connection, attempt));
    connection.journal.append('recovery.probed', { ...identity, ...answer, by });
    const now = findAttempt(connection.db, attempt.attempt_token);
    if (now === null || now.decision !== null || now.progress === 'settled' || isByPerson) return null;
    if (answer.answer === 'did-not-happen')
      connection.journal.append('recovery.repeated', { ...identity, reason: 'did-not-happen' });
    if (answer.answer !== 'happened') return null;
    const output = JSON.stringify({ probed: answer.summary });
    return recordSettlement(connection, now, {
      outcome: { kind: 'success' },
      output,
      outputDigest: sha256(output),
      summary: answer.summary.slice(0, 400),
      tookMs: null,
      settledBy: 'probe',
      strategy,
      nowMs: ports.clock.read().wallMs,
      isEmbedded: ports.coordinator.inside !== null,
    });
  });
  if (!written.ok) return written;
  if (written.value !== null) await settleTail(state, identity, written.value.status, written.value);
  return ok(look);
}

/** What an automatic look says: a *not there* about what may still be under way is no answer. */
function believed(look: ProbeAnswer, doubtCode: string | null): ProbeAnswer {
  if (look.answer !== 'did-not-happen' || isNoFinal(doubtCode)) return look;
  return { answer: 'silent', summary: `${look.summary} It may still be under way.` };
}

/** The same call as before, made again from durable facts; what was seen before the first attempt comes from its intent. */
async function prepareAgain(
  state: PipelineState,
  attempt: AttemptRecord,
): Promise<Result<{ prepared: PreparedCall; strategy: Strategy }, Problem>> {
  const { ports } = state;
  const connection = ports.store.connection();
  const run = connection === null ? null : findRun(connection.db, attempt.run_id);
  const strategy = run === null ? null : ports.strategyOf(run.revision_digest);
  const act =
    connection === null || run === null || strategy === null
      ? null
      : actAgain(connection, run, { strategy, place: attempt, effectKey: attempt.effect_key });
  if (connection === null || run === null || strategy === null || act === null) {
    return err(problem('not-found', 'The step that this belongs to is not there any more.'));
  }
  const prepared = await prepareCall(ports, connection, { run, strategy, act });
  if (!prepared.ok) return prepared;
  const { observedBefore } = intentOf(attempt);
  const bare = forgetObservation(prepared.value);
  return ok({ prepared: observedBefore === null ? bare : { ...bare, observedBefore }, strategy });
}

function identityOf(attempt: AttemptRecord): AttemptIdentity {
  return {
    effect: { agentId: attempt.agent_id, runId: attempt.run_id, effectKey: attempt.effect_key },
    attemptToken: attempt.attempt_token,
  };
}

async function settleTail(
  state: PipelineState,
  identity: AttemptIdentity,
  status: TailOutcome,
  at: { opId: string; seq: number } | null = null,
): Promise<'settled' | 'settled-otherwise' | 'unreachable'> {
  const { ports, leases } = state;
  const held = leases.held(identity.effect.agentId);
  const own = ports.store.connection()?.journal.head;
  const head = at ?? (own === undefined ? null : { opId: own.opId, seq: own.journalSeq });
  if (ports.coordinator.inside !== null) return 'settled';
  if (held === null || head === null) return 'unreachable';
  const { opId, seq } = head;
  const answer = await ports.coordinator.ask(identity.effect.agentId, {
    verb: 'settle-tail',
    ...identity,
    status,
    opId,
    seq,
    deviceId: ports.device.deviceId,
    epoch: held.epoch,
  });
  if (!answer.ok || answer.value.reply.kind === 'lost') return 'unreachable';
  // Open entries are never pruned: one that is gone was settled, and what it was about was done anew.
  const { kind } = answer.value.reply;
  return kind === 'settled-otherwise' || kind === 'no-such-entry' ? 'settled-otherwise' : 'settled';
}

/** A person's decision, as the window sends it. */
export interface ResolveRequest {
  readonly attemptToken: string;
  readonly inputDigest: Digest;
  readonly epoch: number;
  readonly choice: RecoveryChoice;
  readonly by: string;
  readonly reason: string;
}

/** Applies a person's decision on the device that holds the right to act: first on the tail, then on the claim. */
export async function resolveRecovery(state: PipelineState, request: ResolveRequest): Promise<Result<null, Problem>> {
  const { ports } = state;
  const connection = ports.store.connection();
  const attempt = connection === null ? null : findAttempt(connection.db, request.attemptToken);
  const run = connection === null || attempt === null ? null : findRun(connection.db, attempt.run_id);
  const strategy = run === null ? null : ports.strategyOf(run.revision_digest);
  if (attempt === null || strategy === null) return err(problem('not-found', 'There is no such step any more.'));
  if (attempt.decision === null && !(await becomesHolder(state, attempt.agent_id, isLive))) {
    return err(
      problem(
        'not-holder',
        'This device is still getting the right to act for this agent.',
        'Wait a few seconds and choose again. Nothing was sent.',
      ),
    );
  }
  if (request.choice === 'it-happened' && attempt.decision === null) {
    const tail = await settleTail(state, identityOf(attempt), 'committed');
    if (tail === 'unreachable')
      return err(
        problem(
          'register-unreachable',
          'The register that keeps the right to act cannot be reached.',
          'Nothing was changed. Try again when it is back.',
        ),
      );
    if (tail === 'settled-otherwise')
      return err(
        problem(
          'already-decided',
          'The register knows another end of this step, from another device.',
          'Nothing was changed here. Look at the run there, then choose another answer or stop here.',
        ),
      );
  }
  const decided = await ports.store.write((within) =>
    decideRecovery(within, {
      ...request,
      attemptToken: attempt.attempt_token,
      strategy,
      nowMs: ports.clock.read().wallMs,
      isEmbedded: ports.coordinator.inside !== null,
    }),
  );
  if (!decided.ok) return decided;
  if (!decided.value.ok) return decided.value;
  ports.passed('after-decision');
  return ok(null);
}

/** Takes a decision back where that is still possible. */
export async function reopen(state: PipelineState, attemptToken: string, by: string): Promise<Result<null, Problem>> {
  const reopened = await state.ports.store.write((connection) => reopenRecovery(connection, attemptToken, by));
  return reopened.ok ? reopened.value : reopened;
}
