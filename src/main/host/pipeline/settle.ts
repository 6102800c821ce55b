import type { ClaimOwner } from '../../../shared/core/claim/claim-effect.ts';
import { leavesATrace } from '../../../shared/core/effect/effect-kind.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { Connection } from '../../store/connection.ts';
import { isPartKey, isUndoKey } from '../../../shared/core/run/effect-key.ts';
import { findAttempt, isStillAt } from '../../store/rows.ts';
import { settleAttempt, settleFromRecord } from '../../store/transactions/settle-effect.ts';
import type { SettleResult, TailSettlement } from '../../store/transactions/settle-effect.ts';
import type { ToolRun } from '../../tools/tool.ts';
import type { HostPorts } from '../ports.ts';
import type { EffectPlan } from './intent.ts';
import type { PipelineState } from './pipeline.ts';

/** How often the record is tried again after a disk error, on a newly opened connection each time. */
const SETTLE_TRIES = 5;

/**
 * Writes down how an attempt ended. After a disk error nobody knows whether it was written: the store is opened again and
 * the same settlement is offered once more; if it had been written it counts as a duplicate. If the disk stays broken the
 * attempt is in doubt, and the next sweep says so.
 */
export async function settle(
  ports: HostPorts,
  plan: EffectPlan,
  done: { owner: ClaimOwner; run: ToolRun & { tookMs: number } },
): Promise<Result<SettleResult, Problem>> {
  const { effect, attemptToken } = plan.intent;
  const { outcome, output, summary, tookMs } = done.run;
  const request = {
    attempt: { effect, attemptToken },
    owner: done.owner,
    outcome,
    output: canonicalJson(output),
    summary: summary.slice(0, 400),
    tookMs,
    strategy: plan.strategy,
    nowMs: ports.clock.read().wallMs,
    isEmbedded: ports.coordinator.inside !== null,
  };
  return writeSurely(ports, (connection) => settleAttempt(connection, request));
}

/**
 * Settles an effect that had happened before; answers whether the run goes on from there. A step that is over and is not left
 * would be found committed again and again.
 */
export async function settleCommitted(ports: HostPorts, plan: EffectPlan, committedOpId: string): Promise<boolean> {
  const { strategy, run } = plan;
  const { effect, attemptToken } = plan.intent;
  const from = { strategy, nowMs: ports.clock.read().wallMs, isEmbedded: ports.coordinator.inside !== null };
  const isWholeStep = !isPartKey(effect.effectKey) && !isUndoKey(effect.effectKey);
  const settled = await ports.store.write((connection) => {
    const attempt = findAttempt(connection.db, attemptToken);
    if (attempt !== null) settleFromRecord(connection, attempt, { ...from, committedOpId });
    return isWholeStep && isStillAt(connection, run);
  });
  return !settled.ok || !settled.value;
}

/** Writes what may be written twice, on a newly opened connection after each disk error. */
export async function writeSurely<Value>(
  { store }: HostPorts,
  job: (connection: Connection) => Value,
): Promise<Result<Value, Problem>> {
  let written = await store.write(job);
  for (let tries = 1; tries < SETTLE_TRIES && !written.ok && written.error.code !== 'internal'; tries += 1) {
    await store.reopened();
    written = await store.write(job);
  }
  return written;
}

/** Tells a register that lives elsewhere, always after the settlement is durable here. What it may not have heard is noted. */
export async function settleRemoteTail(
  { ports, untold }: Pick<PipelineState, 'ports' | 'untold'>,
  plan: EffectPlan,
  settlement: { epoch: number } & TailSettlement,
): Promise<void> {
  if (ports.coordinator.inside !== null || !leavesATrace(plan.intent.effectKind)) return;
  const { effect, attemptToken } = plan.intent;
  const answer = await ports.coordinator.ask(effect.agentId, {
    verb: 'settle-tail',
    effect,
    attemptToken,
    deviceId: ports.device.deviceId,
    ...settlement,
  });
  if (answer.ok) return;
  untold.add(effect.agentId);
  ports.log({ event: 'tail-not-settled', attemptToken, code: answer.error.code });
}
