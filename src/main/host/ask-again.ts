import { staleAnswer } from '../store/authority.ts';
import type { GuardedEffect } from '../store/authority.ts';
import { askAgain } from '../store/transactions/ask-again.ts';
import type { EffectPlan } from './pipeline/intent.ts';
import type { HostPorts } from './ports.ts';

/** Whether the yes that a step needs does not count any more. */
export function isAnswerStale({ store }: HostPorts, plan: EffectPlan): boolean {
  const connection = store.connection();
  const guarded = guardedEffectOf(plan);
  return connection !== null && guarded !== null && staleAnswer(connection, guarded) !== null;
}

/**
 * A step whose yes does not count any more goes back to its question: before the gate, and after the gate has said no
 * because it stopped counting in between. Answers whether it did. Nothing was sent.
 */
export async function askAgainWhereStale(ports: HostPorts, plan: EffectPlan): Promise<boolean> {
  const guarded = guardedEffectOf(plan);
  // Only a look first: nearly every answer still counts, and needs no transaction of its own.
  if (guarded === null || !isAnswerStale(ports, plan)) return false;
  const { strategy } = plan;
  const nowMs = ports.clock.read().wallMs;
  const asked = await ports.store.write((within) => askAgain(within, guarded, { strategy, nowMs }));
  return asked.ok && asked.value;
}

function guardedEffectOf({ intent, run, guardedBy }: EffectPlan): GuardedEffect | null {
  const { stateId, inputDigest, effect } = intent;
  return guardedBy === null
    ? null
    : { ...effect, stateId, inputDigest, revisionDigest: run.revision_digest, guardedBy };
}

/**
 * Whether a permission was given between the plan and its gate, perhaps in the same commit: the gate saw two that differ,
 * and whoever gave it has woken the loop already. The step is planned anew instead of waiting for a change that has come.
 */
export function hasNewAuthority({ store }: HostPorts, { authority, intent }: EffectPlan): boolean {
  const connection = store.connection();
  const now = connection === null ? null : authority(connection);
  return now !== null && now !== intent.grantDigest;
}
