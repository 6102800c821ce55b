import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { AgentId, AttemptToken } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import type { ClockReading } from '../../../shared/core/lease/clock.ts';
import type { HeldLease } from '../../../shared/core/lease/held-lease.ts';
import type { RegisterAnswer } from '../../coordinators/lease-coordinator.ts';
import type { RunRecord } from '../../store/rows.ts';
import { finishStop } from '../../store/transactions/control-run.ts';
import { dispatchEffect } from '../../store/transactions/dispatch-effect.ts';
import type { DispatchRequest, DispatchResult } from '../../store/transactions/dispatch-effect.ts';
import { adoptTailEntry, withholdEffect } from '../../store/transactions/recover-claims.ts';
import type { Act } from '../act.ts';
import { LiveText } from '../live-text.ts';
import type { HostPorts } from '../ports.ts';
import type { ProgressNotices } from '../progress-notices.ts';
import { isBehind, isHeldBack } from '../held-back.ts';
import { askAgainWhereStale, hasNewAuthority, isAnswerStale } from '../ask-again.ts';
import { refusedBefore } from '../refused-before.ts';
import { askWhereTooLate } from '../repeat.ts';
import type { Stops } from '../stops.ts';
import { sleep } from '../timers.ts';
import { claimOwner } from './claim.ts';
import { performEffect } from './effect.ts';
import type { InFlight } from './effect.ts';
import { announce, lookOnceMore } from './fence.ts';
import { afterGateRefusal } from './gate.ts';
import { planEffect } from './intent.ts';
import type { EffectPlan } from './intent.ts';
import type { LeaseKeeper } from './lease.ts';
import { settle, settleCommitted, settleRemoteTail, writeSurely } from './settle.ts';
import { releaseUnprepared } from './successor.ts';

/** What one pass through the pipeline came to, for the loop around it. */
export type PassResult =
  /** Something changed: look at the run again. */
  | 'go-on'
  /** Nothing was sent, and nothing will be until something changes. */
  | 'wait-for-change'
  /** Nothing was sent, and nothing will be under this grant of the right to act. */
  | 'wait-for-lease'
  /** Nothing was sent; the same may work shortly. */
  | 'try-later';

/** Shared state of everything that is on its way in this process. */
export interface PipelineState {
  readonly ports: HostPorts;
  readonly leases: LeaseKeeper;
  /** By attempt token. A claim is this process's own only while it is in here. */
  readonly inFlight: Map<AttemptToken, InFlight>;
  /** What was pressed here, whether or not it is written down yet. */
  readonly stops: Stops;
  readonly progress: ProgressNotices;
  /** Agents whose register may have an entry of this process that it did not hear the end of. */
  readonly untold: Set<AgentId>;
  /** Rises with every suspend or resume event. */
  suspendCount: number;
  isDraining: boolean;
  /** Like draining, but this host goes on afterwards. */
  isMoving: boolean;
  /** Entries of others wait to be projected: nothing may be decided on such a record. */
  isCatchingUp: () => boolean;
}

/** One dispatch in the order of protocol section 2: intent, gate, claim, fence, effect, settle, successor. */
export async function dispatch(
  state: PipelineState,
  of: { run: RunRecord; strategy: Strategy; act: Act },
): Promise<PassResult> {
  const { ports, leases } = state;
  const held = leases.held(of.run.agent_id);
  const connection = ports.store.connection();
  const isStopped = state.stops.isStopped({ agentId: of.run.agent_id, runId: of.run.run_id });
  if (held === null || connection === null || isHeldBack(state) || isStopped) return 'try-later';
  const planned = await planEffect(ports, connection, of);
  if (!planned.ok) {
    await releaseUnprepared(ports, of, planned.error);
    return 'go-on';
  }
  const plan = planned.value;
  // Asked again, the step would get another number than the one under which it may have been done.
  if (isBehind(state, of.run.agent_id) && isAnswerStale(ports, plan)) return 'try-later';
  if (await askWhereTooLate(ports, plan)) return 'go-on';
  if (await askAgainWhereStale(ports, plan)) return 'go-on';
  // Whatever wakes the loop, the same no is written down once.
  const before = refusedBefore(connection, plan, held.epoch);
  if (before !== null) return before === 'gate' ? 'wait-for-change' : 'try-later';
  const standing = leases.standing(of.run.agent_id);
  if (standing.kind === 'hold-off') return holdOff(state, plan, held);
  if (standing.kind !== 'live') return 'try-later';
  return send(state, plan, { held, stage: 'fused' });
}

/** An effect that has to wait is written down and claimed as never started; after the hold-off the same attempt goes on. */
async function holdOff(state: PipelineState, plan: EffectPlan, held: HeldLease): Promise<PassResult> {
  const { ports, leases, inFlight } = state;
  const { attemptToken, effect } = plan.intent;
  const standing = leases.standing(effect.agentId);
  inFlight.set(attemptToken, {
    attempt: { effect, attemptToken },
    title: plan.intent.title,
    abort: new AbortController(),
    live: new LiveText(),
  });
  try {
    const claimed = await ports.store.write((connection) =>
      dispatchEffect(connection, requestFor(state, plan, { held, stage: 'claim', announced: null })),
    );
    if (!claimed.ok) return 'try-later';
    if (claimed.value.kind !== 'claimed') return afterRefusal(state, plan, claimed.value);
    ports.passed('after-claim');
    if (standing.kind === 'hold-off') await sleep(ports.timers, standing.remainingMs);
    while (leases.standing(effect.agentId).kind === 'hold-off') await sleep(ports.timers, 50);
    const now = leases.held(effect.agentId);
    if (now === null || now.epoch !== held.epoch || leases.standing(effect.agentId).kind !== 'live') return 'try-later';
    return await send(state, plan, { held: now, stage: 'start' });
  } finally {
    inFlight.delete(attemptToken);
  }
}

function requestFor(
  state: PipelineState,
  plan: EffectPlan,
  of: { held: HeldLease; stage: DispatchRequest['stage']; announced: RegisterAnswer | null },
): DispatchRequest {
  const { ports, leases } = state;
  const { agentId } = plan.intent.effect;
  // One reading for both: the machine's clocks are the slowest thing in here after the disk.
  const now = ports.clock.read();
  return {
    stage: of.stage,
    intent: plan.intent,
    kind: plan.prepared.commandKind,
    owner: claimOwner(ports, of.held),
    now: { bootId: leases.bootId, bootMs: now.bootMs },
    leaseUntil: leases.claimUntil(of.held),
    // What is left of another grant, before or after this one, says nothing about this one.
    standing: leases.held(agentId)?.epoch === of.held.epoch ? leases.standing(agentId, now) : { kind: 'expired' },
    coordinator: ports.coordinator.identity,
    permit: plan.permit,
    idempotencyKey: plan.effectId,
    authority: plan.authority,
    announced: of.announced,
  };
}

async function send(
  state: PipelineState,
  plan: EffectPlan,
  of: { held: HeldLease; stage: 'fused' | 'start' },
): Promise<PassResult> {
  const { ports, inFlight } = state;
  const { effect, attemptToken, title } = plan.intent;
  const { suspendCount } = state;
  const abort = new AbortController();
  const flight: InFlight = { attempt: { effect, attemptToken }, title, abort, live: new LiveText() };
  inFlight.set(attemptToken, flight);
  try {
    ports.passed('before-intent');
    const fenceAt = ports.clock.read();
    const announced = await announce(ports, plan, of.held);
    if (!announced.ok) {
      state.untold.add(effect.agentId);
      state.leases.isReachable = false;
      return 'try-later';
    }
    if (announced.value !== null) ports.passed('after-announce');
    const request = { ...of, announced: announced.value };
    const decided = await ports.store.write((connection) =>
      dispatchEffect(connection, requestFor(state, plan, request)),
    );
    if (!decided.ok) return 'try-later';
    if (decided.value.kind !== 'dispatched') {
      await takeBackAnnounce(state, plan, { held: of.held, announced: announced.value });
      return await afterRefusal(state, plan, decided.value);
    }
    ports.passed('after-in-flight');
    return await lookAndPerform(state, plan, {
      held: of.held,
      fenceAt,
      flight,
      isSuspendSeen: () => state.suspendCount !== suspendCount,
    });
  } finally {
    inFlight.delete(attemptToken);
  }
}

async function lookAndPerform(
  state: PipelineState,
  plan: EffectPlan,
  of: { held: HeldLease; fenceAt: ClockReading; flight: InFlight; isSuspendSeen: () => boolean },
): Promise<PassResult> {
  const { ports, leases } = state;
  const { held, flight, fenceAt } = of;
  const look = lookOnceMore(state, plan, { held, fenceAt, isSuspendSeen: of.isSuspendSeen() });
  if (look.kind === 'withhold') return await withhold(state, plan, { held, reason: look.reason });
  ports.passed('before-effect');
  const run = await performEffect(ports, plan, { flight, epoch: held.epoch, progress: state.progress });
  ports.passed('after-effect');
  // Called back by this host before anything left: that says nothing about the step, which is still to be done.
  const isCalledBack = flight.abort.signal.aborted && run.outcome.kind === 'failure' && !run.outcome.wasSent;
  if (isCalledBack) return await withhold(state, plan, { held, reason: whyCalledBack(leases, held.agentId) });
  const settled = await settle(ports, plan, { owner: claimOwner(ports, held), run });
  if (!settled.ok) {
    ports.log({
      event: 'settlement-not-recorded',
      attemptToken: flight.attempt.attemptToken,
      code: settled.error.code,
      message: settled.error.message,
    });
    return 'try-later';
  }
  ports.passed('after-settle');
  if (settled.value.tail !== null) {
    await settleRemoteTail(state, plan, { epoch: held.epoch, ...settled.value.tail });
    ports.passed('after-settle-tail');
  } else if (run.outcome.kind === 'unclear') {
    ports.passed('after-in-doubt');
  }
  return 'go-on';
}

/** Writes down that an attempt never left; the step is tried again, or the run ends where a person has stopped it. */
async function withhold(
  state: PipelineState,
  plan: EffectPlan,
  of: { held: HeldLease; reason: EventPayloads['effect.withheld']['reason'] },
): Promise<PassResult> {
  const { ports } = state;
  const { effect, attemptToken } = plan.intent;
  const isEmbedded = ports.coordinator.inside !== null;
  const withheld = await writeSurely(ports, (connection) =>
    withholdEffect(connection, { effect, attemptToken }, { reason: of.reason, isEmbedded }),
  );
  if (withheld.ok)
    await settleRemoteTail(state, plan, { status: 'withdrawn', epoch: of.held.epoch, ...withheld.value });
  await ports.store.write((connection) => finishStop(connection, plan.run.run_id));
  return 'try-later';
}

function whyCalledBack(leases: LeaseKeeper, agentId: AgentId): EventPayloads['effect.withheld']['reason'] {
  const standing = leases.standing(agentId);
  return standing.kind === 'doubtful' ? standing.reason : 'claim-deadline-over';
}

/** An announce that was not followed by an effect is settled as not sent: its own device knows that nothing was sent. */
async function takeBackAnnounce(
  state: PipelineState,
  plan: EffectPlan,
  of: { held: HeldLease; announced: RegisterAnswer | null },
): Promise<void> {
  if (of.announced?.reply.kind !== 'announced') return;
  const head = state.ports.store.connection()?.journal.head;
  if (head === undefined) return;
  await settleRemoteTail(state, plan, {
    status: 'withdrawn',
    epoch: of.held.epoch,
    opId: head.opId,
    seq: head.journalSeq,
  });
}

/** What a refusal means for the run. Nothing was sent. */
async function afterRefusal(state: PipelineState, plan: EffectPlan, refused: DispatchResult): Promise<PassResult> {
  const { ports } = state;
  const { run } = plan;
  if (refused.kind === 'refused-by-gate') {
    if (afterGateRefusal(refused) === 'end-stopped')
      await ports.store.write((connection) => finishStop(connection, run.run_id));
    if (isBehind(state, run.agent_id) && isAnswerStale(ports, plan)) return 'try-later';
    const isChanged = (await askAgainWhereStale(ports, plan)) || hasNewAuthority(ports, plan);
    return isChanged ? 'go-on' : 'wait-for-change';
  }
  // The claim was born too late, by a renewal that is on its way: the next one has time.
  if (refused.kind === 'refused-by-claim' && refused.verdict === 'invalid-lease') return 'try-later';
  // The register has no room: asking again would only fill the record with refusals.
  if (refused.kind === 'tail-full') return 'wait-for-lease';
  if (refused.kind !== 'refused-by-fence') return 'wait-for-change';
  const { decision } = refused;
  if (decision.kind === 'already-committed')
    return (await settleCommitted(ports, plan, decision.committedOpId)) ? 'go-on' : 'wait-for-change';
  if (decision.kind === 'in-doubt') {
    await ports.store.write((connection) =>
      adoptTailEntry(connection, decision.entry, { ...plan.intent, attemptNumber: plan.intent.attemptNumber + 1 }),
    );
    ports.passed('after-in-doubt');
    return 'go-on';
  }
  // The register has spoken: this lease is gone. It is asked for anew before anything else is tried.
  if (decision.kind === 'stale-epoch' || decision.kind === 'not-held') state.leases.forget(run.agent_id);
  return decision.kind === 'other-coordinator' ? 'wait-for-change' : 'try-later';
}

/** Aborts what is on its way for an agent whose right to act is gone or in doubt. What it reports later is kept. */
export function abortAgent(state: PipelineState, agentId: AgentId): void {
  for (const flight of state.inFlight.values()) {
    if (flight.attempt.effect.agentId === agentId) flight.abort.abort(new Error('The right to act was lost.'));
  }
}
