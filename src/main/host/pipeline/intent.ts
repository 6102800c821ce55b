import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import type { EventPayloads } from '../../../shared/contract/events.ts';
import type { EffectKey, StateId } from '../../../shared/contract/identifiers.ts';
import type { Strategy } from '../../../shared/contract/strategy.ts';
import { approvalFor } from '../../../shared/core/run/check-strategy.ts';
import { isUndoKey, undoKeyOf } from '../../../shared/core/run/effect-key.ts';
import { fillDeep } from '../../../shared/core/run/template.ts';
import { repeatTermMs } from '../../../shared/core/recovery/automatic-recovery.ts';
import { letsFollow } from '../../../shared/core/recovery/recovery-options.ts';
import type { AnnouncePermit } from '../../../shared/core/lease/register.ts';
import { encodeIdentity } from '../../../shared/lib/identity.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { sha256 } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { decidedAttempt, decisionOf, intentOf, latestAttempt, outcomeOf } from '../../store/rows.ts';
import type { AttemptRecord, RunRecord } from '../../store/rows.ts';
import { templateScope } from '../../store/run-scope.ts';
import type { PreparedCall } from '../../tools/tool.ts';
import { authorityFor } from '../../store/authority.ts';
import { undoOf } from '../act.ts';
import type { Act } from '../act.ts';
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
  /** The state that asks a person first; the step itself where it is about one call of a model. */
  readonly guardedBy: StateId | null;
  readonly permit: AnnouncePermit | null;
  readonly authority: (connection: Connection) => string | null;
}

/** Fills in a call and lets its tool check it. Reads at most. */
export async function prepareCall(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; strategy: Strategy; act: Pick<Act, 'call' | 'effect' | 'args' | 'isFilledIn'> },
): Promise<Result<PreparedCall, Problem>> {
  const { act, strategy } = of;
  const scope = templateScope(connection.db, of.run, act.args);
  const open = { call: act.call, effect: act.effect };
  // What a model or a tool has said may look like a place to fill in; it is sent as it is.
  const filled = act.isFilledIn ? ok(open) : fillDeep(open, scope);
  const granted = fillDeep(strategy.scope, scope);
  if (!filled.ok || !granted.ok) {
    const cause = filled.ok ? (granted.ok ? '' : granted.error) : filled.error;
    return err(problem('input-invalid', cause, 'Correct the strategy and authorise it again.'));
  }
  return ports.tools.prepare(filled.value.call, filled.value.effect, granted.value);
}

/** Plans an effect of the run, or the undo that a person asked for before it. */
export async function planEffect(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; strategy: Strategy; act: Act },
): Promise<Result<EffectPlan, Problem>> {
  const { run, strategy, act } = of;
  const latest = latestAttempt(connection.db, run.run_id, act.effectKey);
  const undoKey = latest === null ? null : undoWanted(connection, run, latest);
  const undone = undoKey === null ? act : undoOf(act);
  const prepared = await prepareCall(ports, connection, { run, strategy, act: undone });
  if (!prepared.ok) return prepared;
  const effectKey = undoKey ?? act.effectKey;
  const before = undoKey === null ? latest : latestAttempt(connection.db, run.run_id, undoKey);
  return ok(buildPlan(ports, connection, { run, strategy, prepared: prepared.value, effectKey, latest: before, act }));
}

/** The key of the undo, while a person's *undo, then send again* has not been carried out. */
function undoWanted(connection: Connection, run: RunRecord, latest: AttemptRecord): EffectKey | null {
  if (decisionOf(latest)?.choice !== 'undo-then-send') return null;
  const undoKey = undoKeyOf(latest.effect_key, latest.attempt_number);
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
    act: Act;
  },
): EffectPlan {
  const { run, strategy, prepared, effectKey, latest, act } = of;
  const inputDigest = sha256(prepared.inputText);
  const decided = decidedAttempt(connection.db, run.run_id, effectKey);
  const effect = { agentId: run.agent_id, runId: run.run_id, effectKey };
  const stateId: StateId = run.state_id;
  const guardedBy = isUndoKey(effectKey) ? null : act.asks ? stateId : approvalFor(strategy, stateId);
  const guarded = {
    ...effect,
    stateId,
    inputDigest,
    revisionDigest: run.revision_digest,
    guardedBy,
  };
  const authority = (within: Connection): string | null => authorityFor(within, guarded);
  const dedupeUntilMs = firstDedupeUntil(ports, connection, of);
  const permit = permitAfter(decided);
  const intent: EventPayloads['intent.recorded'] = {
    effect,
    attemptToken: ports.newId() as EventPayloads['intent.recorded']['attemptToken'],
    attemptNumber: (latest?.attempt_number ?? 0) + 1,
    stateId,
    stateVisit: run.state_visit,
    recipient: prepared.recipient,
    effectKind: prepared.effectKind,
    tool: prepared.tool,
    title: (act.title ?? prepared.title).slice(0, 80),
    target: prepared.target,
    input: connection.journal.keep(prepared.inputText),
    inputDigest,
    grantDigest: authority(connection),
    dedupeUntilMs,
    isDestructive: prepared.isDestructive,
    hasUndo: prepared.undo !== null,
    observedBefore: prepared.observedBefore ?? null,
    decidedAfter: permit?.attemptToken ?? null,
  };
  const effectId = sha256(encodeIdentity([effect.agentId, effect.runId, effect.effectKey]));
  return { run, strategy, prepared, effectKey, effectId, intent, guardedBy, permit, authority };
}

/**
 * The provider's memory of a key begins with the first attempt, not with the newest; where that was another device's, nobody
 * here knows when.
 */
function firstDedupeUntil(
  ports: HostPorts,
  connection: Connection,
  of: { run: RunRecord; prepared: PreparedCall; effectKey: EffectKey },
): number | null {
  if (of.prepared.dedupeWindowMs === null) return null;
  const earlier = latestAttempt(connection.db, of.run.run_id, of.effectKey);
  if (earlier !== null) return intentOf(earlier).dedupeUntilMs;
  return ports.clock.read().wallMs + repeatTermMs(of.prepared.dedupeWindowMs);
}

/**
 * Names the earlier attempt that a decision, or the effect's kind, allows this one to follow. Attempts after it that never
 * started do not use the decision up.
 */
function permitAfter(decided: AttemptRecord | null): AnnouncePermit | null {
  const decision = decided === null ? null : decisionOf(decided);
  // *Stop here* and *it happened* let nothing follow, even where a run has come back to its step since.
  if (decided === null || decision === null || !letsFollow(decision.choice)) return null;
  const reason = decision.choice === 'repeat' ? 'automatic-repeat' : 'decision';
  return { reason, attemptToken: decided.attempt_token, status: decided.is_reopened === 1 ? 'committed' : 'open' };
}
