import { CLOCK_DIVERGENCE_MS } from '../../shared/core/lease/clock.ts';
import { automaticRecovery } from '../../shared/core/recovery/automatic-recovery.ts';
import type { AutomaticRecovery } from '../../shared/core/recovery/automatic-recovery.ts';
import { readOne } from './connection.ts';
import type { Connection } from './connection.ts';
import { intentOf, latestAttempt } from './rows.ts';
import type { AttemptRecord } from './rows.ts';

/** What may be done about an unclear attempt at this moment without asking anybody. */
export function recoveryNow(
  { db, journal }: Pick<Connection, 'db' | 'journal'>,
  attempt: AttemptRecord,
  wallMs: number,
): AutomaticRecovery {
  const { effectKind, dedupeUntilMs } = intentOf(attempt);
  const { run_id: runId, effect_key: effectKey, attempt_number: attemptNumber } = attempt;
  const latest = latestAttempt(db, runId, effectKey);
  const isLater = latest !== null && latest.attempt_number > attemptNumber;
  // A calendar that was set back says that a provider still knows a key that it forgot long ago.
  const isBelievable = wallMs + CLOCK_DIVERGENCE_MS >= journal.head.time.wallMs;
  return automaticRecovery({
    effectKind,
    dedupeUntilMs,
    nowMs: isBelievable ? wallMs : null,
    isProbeSilent: attempt.probe !== null,
    attemptNumber,
    isRepeatRefused: isLater && latest.output_digest !== null,
  });
}

/** Why nobody knows how an attempt ended, as it was written down last; `null` if it was not. */
export function doubtCodeOf({ db }: Pick<Connection, 'db'>, attempt: AttemptRecord): string | null {
  const row = readOne<{ code: string }>(
    db,
    `SELECT json_extract(payload, '$.code') AS code FROM ops
       WHERE run_id = ? AND kind = 'recovery.in-doubt' AND json_extract(payload, '$.attemptToken') = ? ORDER BY seq DESC LIMIT 1`,
    attempt.run_id,
    attempt.attempt_token,
  );
  return row?.code ?? null;
}
