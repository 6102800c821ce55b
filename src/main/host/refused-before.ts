import { isSameRefusal } from '../../shared/core/gate/refused-again.ts';
import type { RecordedRefusal } from '../../shared/core/gate/refused-again.ts';
import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { Json } from '../../shared/lib/canonical-json.ts';
import { readOne } from '../store/connection.ts';
import type { Connection } from '../store/connection.ts';
import { foldedUpTo } from '../store/foreign-journals.ts';
import { latestAttempt, outcomeOf } from '../store/rows.ts';
import type { AttemptRecord } from '../store/rows.ts';
import { askGate } from '../store/transactions/dispatch-effect.ts';
import type { EffectPlan } from './pipeline/intent.ts';

/**
 * What another attempt at an effect would only be told again: the newest one was refused, and nothing that the refusal was
 * about has changed since. `gate`: it waits until its facts change; `behind`: until the missing entries are here; `null`: the
 * attempt goes its whole way, through every gate. Read from the record, so a restart asks nothing twice either.
 */
export function refusedBefore(connection: Connection, plan: EffectPlan, epoch: number): 'gate' | 'behind' | null {
  const { intent, prepared, authority } = plan;
  const { effect } = intent;
  const latest = latestAttempt(connection.db, effect.runId, effect.effectKey);
  const refusal = latest === null ? null : newestRefusal(connection, latest);
  if (latest === null || refusal === null) return null;
  if (refusal.word === 'fence') return isStillBehind(connection, refusal, epoch) ? 'behind' : null;
  const { decision, facts } = askGate(connection, { intent, kind: prepared.commandKind, authority });
  const recorded: RecordedRefusal = {
    reason: refusal.reason,
    factsText: refusal.facts,
    inputDigest: latest.input_digest,
  };
  const look = { decision, factsText: canonicalJson(facts as unknown as Json), inputDigest: intent.inputDigest };
  return isSameRefusal(recorded, look) ? 'gate' : null;
}

interface RefusalRow {
  readonly word: 'gate' | 'fence';
  readonly reason: string;
  readonly facts: string;
}

/** The refusal that ended an attempt, where one did; by its agent and reason, as refusals are found. */
function newestRefusal({ db }: Connection, attempt: AttemptRecord): RefusalRow | null {
  const outcome = outcomeOf(attempt);
  if (outcome?.kind !== 'failure' || outcome.wasSent || attempt.decision !== null) return null;
  return readOne<RefusalRow>(
    db,
    `SELECT word, reason, facts FROM refusals WHERE agent_id = ? AND word = ? AND reason = ? AND run_id = ? AND effect_key = ?
       ORDER BY seq DESC LIMIT 1`,
    attempt.agent_id,
    outcome.code === 'behind' ? 'fence' : 'gate',
    outcome.code,
    attempt.run_id,
    attempt.effect_key,
  );
}

/** Under the same grant of the right to act, what a register asks for never becomes less. */
function isStillBehind({ db }: Connection, refusal: RefusalRow, epoch: number): boolean {
  const facts = JSON.parse(refusal.facts) as { epoch?: number; decision?: { deviceId?: string; neededSeq?: number } };
  const { deviceId, neededSeq } = facts.decision ?? {};
  if (facts.epoch !== epoch || deviceId === undefined || neededSeq === undefined) return false;
  return (foldedUpTo(db)[deviceId] ?? 0) < neededSeq;
}
