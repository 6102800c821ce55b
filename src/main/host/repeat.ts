import type { AttemptIdentity } from '../../shared/contract/identifiers.ts';
import type { Strategy } from '../../shared/contract/strategy.ts';
import { recoveryNow } from '../store/recovery-now.ts';
import { findAttempt } from '../store/rows.ts';
import type { RunRecord } from '../store/rows.ts';
import { releaseStep } from '../store/transactions/release-step.ts';
import { tooLateToRepeat } from '../store/transactions/retry-step.ts';
import type { Act } from './act.ts';
import type { EffectPlan } from './pipeline/intent.ts';
import type { HostPorts } from './ports.ts';

/** The code of a repeat that was safe when it was decided and is not any more. */
const REPEAT_TOO_LATE = 'repeat-too-late';

/**
 * A repeat by the same key that was decided in time can be held up (a permission taken back, a pause) until the provider
 * has forgotten the key. Then the decision is taken back and a person is asked. Answers whether that was so.
 */
export async function askWhereTooLate(ports: HostPorts, { permit, intent }: EffectPlan): Promise<boolean> {
  const connection = ports.store.connection();
  const isByKey = permit?.reason === 'automatic-repeat' && intent.effectKind === 'idempotent-by-key';
  if (connection === null || permit === null || !isByKey) return false;
  const decided = findAttempt(connection.db, permit.attemptToken);
  if (decided === null || recoveryNow(connection, decided, ports.clock.read().wallMs).kind === 'repeat') return false;
  const attempt: AttemptIdentity = { effect: intent.effect, attemptToken: permit.attemptToken };
  const doubt = { ...attempt, code: REPEAT_TOO_LATE, previousOwner: null, lostSince: null };
  await ports.store.write(({ journal }) => journal.append('recovery.in-doubt', doubt));
  return true;
}

/** What a person reads where a retry is given up because it comes too late. */
const RETRY_TOO_LATE = 'Nothing was sent again: by now the target may have forgotten the key of the step';

/**
 * A retry that was planned in time can be held up in the same way, or until another device takes over. Then the step has
 * failed, as it would have with no attempt left. Answers whether that was so.
 */
export async function failWhereTooLate(
  ports: HostPorts,
  { run, strategy, act }: { run: RunRecord; strategy: Strategy; act: Act },
): Promise<boolean> {
  const connection = ports.store.connection();
  const { effectKey } = act;
  const nowMs = ports.clock.read().wallMs;
  const of = { runId: run.run_id, effectKey, nowMs };
  if (connection === null || tooLateToRepeat(connection, of) === null) return false;
  await ports.store.write((within) => {
    const failed = tooLateToRepeat(within, of);
    if (failed === null) return;
    const { state_id: stateId, state_visit: stateVisit, agent_id: agentId, run_id: runId } = run;
    const attempt: AttemptIdentity = {
      effect: { agentId, runId, effectKey },
      attemptToken: failed.attempt.attempt_token,
    };
    // Where the run goes on along a failure edge, nothing else would say why.
    within.journal.append('intent.refused', { effect: attempt.effect, stateId, stateVisit, message: RETRY_TOO_LATE });
    const from = { stateId, stateVisit };
    releaseStep(within, { attempt, from, result: failed.outcome, strategy, nowMs, failText: RETRY_TOO_LATE });
  });
  return true;
}
