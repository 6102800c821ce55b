import type { AttemptIdentity } from '../../shared/contract/identifiers.ts';
import { recoveryNow } from '../store/recovery-now.ts';
import { findAttempt } from '../store/rows.ts';
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
