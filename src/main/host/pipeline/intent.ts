import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { EffectKey, StateId } from '../../../shared/contract/identifiers.ts';
import type { EffectDeclaration, Strategy, ToolCall, ToolState } from '../../../shared/contract/strategy.ts';
import { approvalFor } from '../../../shared/core/run/check-strategy.ts';
import { effectKeyOf, isUndoKey, undoKeyOf } from '../../../shared/core/run/effect-key.ts';
import { fillDeep } from '../../../shared/core/run/template.ts';
import type { AnnouncePermit } from '../../../shared/core/lease/register.ts';
import { encodeIdentity } from '../../../shared/lib/identity.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { sha256 } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { decisionOf, intentOf, latestAttempt, outcomeOf, templateScope } from '../../store/rows.ts';
import type { AttemptRecord, RunRecord } from '../../store/rows.ts';
import type { PreparedCall } from '../../tools/tool.ts';
import { authorityFor } from '../../store/transactions/decide-approval.ts';
import type { HostPorts } from '../ports.ts';

/** One effect that a run is about to cause, before anything is written down. */
export interface EffectPlan {
  readonly run: RunRecord;
  readonly strategy: Strategy;
  readonly prepared: PreparedCall;
  readonly effectKey: EffectKey;
  /** The id that goes out as idempotency key: the same on every attempt. */
  readonly effectId: string;
  readonly intent: EventPayloads['intent.recorded'];
  readonly permit: AnnouncePermit | null;
  readonly authority: (connection: Connection) => string | null;
}

/** Fills in a call and lets its tool check it. Reads at most. */
export async function prepareCall(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; strategy: Strategy; call: ToolCall; effect: EffectDeclaration | undefined },
): Promise<Result<PreparedCall, Problem>> {
  const scope = templateScope(connection.db, of.run);
  const filled = fillDeep({ call: of.call, effect: of.effect, scope: of.strategy.scope }, scope);
  if (!filled.ok) return err(problem('input-invalid', filled.error, 'Correct the strategy and authorise it again.'));
  return ports.tools.prepare(filled.value.call, filled.value.effect, filled.value.scope);
}

/** Plans the effect of the run's current tool state, or the undo that a person asked for before it. */
export async function planEffect(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; strategy: Strategy; state: ToolState },
): Promise<Result<EffectPlan, Problem>> {
  const { run, strategy, state } = of;
  const effectKey = effectKeyOf(run.state_id, run.state_visit);
  const latest = latestAttempt(connection.db, run.run_id, effectKey);
  const undoKey = latest === null ? null : undoWanted(connection, run, latest);
  const declared = state.effect;
  const call = undoKey !== null && declared?.kind === 'compensable' ? declared.undo : state.call;
  const effect = undoKey === null ? declared : undefined;
  const prepared = await prepareCall(ports, connection, { run, strategy, call, effect });
  if (!prepared.ok) return prepared;
  const key = undoKey ?? effectKey;
  const before = undoKey === null ? latest : latestAttempt(connection.db, run.run_id, undoKey);
  return ok(
    buildPlan(ports, connection, { run, strategy, prepared: prepared.value, effectKey: key, latest: before, state }),
  );
}

/** The key of the undo, while a person's *undo, then send again* has not been carried out. */
function undoWanted(connection: Connection, run: RunRecord, latest: AttemptRecord): EffectKey | null {
  if (decisionOf(latest)?.choice !== 'undo-then-send') return null;
  const undoKey = undoKeyOf(latest.state_id, latest.state_visit, latest.attempt_number);
  const undone = latestAttempt(connection.db, run.run_id, undoKey);
  return undone !== null && outcomeOf(undone)?.kind === 'success' ? null : undoKey;
}

function buildPlan(
  ports: HostPorts,
  connection: Connection,
  of: {
    run: RunRecord;
    strategy: Strategy;
    prepared: PreparedCall;
    effectKey: EffectKey;
    latest: AttemptRecord | null;
    state: ToolState;
  },
): EffectPlan {
  const { run, strategy, prepared, effectKey, latest, state } = of;
  const inputDigest = sha256(prepared.inputText);
  const effect = { agentId: run.agent_id, runId: run.run_id, effectKey };
  const stateId: StateId = run.state_id;
  const guarded = {
    ...effect,
    stateId,
    inputDigest,
    revisionDigest: run.revision_digest,
    guardedBy: isUndoKey(effectKey) ? null : approvalFor(strategy, stateId),
  };
  const authority = (within: Connection): string | null => authorityFor(within, guarded);
  const dedupeUntilMs = firstDedupeUntil(ports, connection, of);
  const intent: EventPayloads['intent.recorded'] = {
    effect,
    attemptToken: ports.newId() as EventPayloads['intent.recorded']['attemptToken'],
    attemptNumber: (latest?.attempt_number ?? 0) + 1,
    stateId,
    stateVisit: run.state_visit,
    recipient: prepared.recipient,
    effectKind: prepared.effectKind,
    tool: prepared.tool,
    title: (state.title ?? prepared.title).slice(0, 80),
    target: prepared.target,
    input: connection.journal.keep(prepared.inputText),
    inputDigest,
    grantDigest: authority(connection),
    dedupeUntilMs,
    isDestructive: prepared.isDestructive,
    hasUndo: prepared.undo !== null,
    observedBefore: prepared.observedBefore ?? null,
    decidedAfter: latest !== null && latest.decision !== null ? latest.attempt_token : null,
  };
  const effectId = sha256(encodeIdentity([effect.agentId, effect.runId, effect.effectKey]));
  return { run, strategy, prepared, effectKey, effectId, intent, permit: permitAfter(latest), authority };
}

/** The provider's memory of a key begins with the first attempt, not with the newest. */
function firstDedupeUntil(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; prepared: PreparedCall; effectKey: EffectKey },
): number | null {
  if (of.prepared.dedupeWindowMs === null) return null;
  const earlier = latestAttempt(connection.db, of.run.run_id, of.effectKey);
  const known = earlier === null ? null : intentOf(earlier).dedupeUntilMs;
  return known ?? ports.clock.read().wallMs + of.prepared.dedupeWindowMs;
}

/** Names the earlier attempt that a decision, or the effect's kind, allows this one to follow. */
function permitAfter(latest: AttemptRecord | null): AnnouncePermit | null {
  const decision = latest === null ? null : decisionOf(latest);
  if (latest === null || decision === null) return null;
  const reason = decision.choice === 'repeat' ? 'automatic-repeat' : 'decision';
  return { reason, attemptToken: latest.attempt_token, status: latest.is_reopened === 1 ? 'committed' : 'open' };
}
