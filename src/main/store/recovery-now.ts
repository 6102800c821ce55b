import type { DeviceId } from '../../shared/contract/identifiers.ts';
import { CLOCK_DIVERGENCE_MS } from '../../shared/core/lease/clock.ts';
import { automaticRecovery } from '../../shared/core/recovery/automatic-recovery.ts';
import type { AutomaticRecovery, AutomaticRecoveryFacts } from '../../shared/core/recovery/automatic-recovery.ts';
import type { DoubtFacts } from '../../shared/core/recovery/alike-doubts.ts';
import type { RecoveryFacts } from '../../shared/core/recovery/recovery-options.ts';
import { readAll } from './connection.ts';
import type { Connection } from './connection.ts';
import { claimOf, intentOf, latestAttempt } from './rows.ts';
import type { AttemptRecord } from './rows.ts';

/**
 * The time by the calendar, or `null` where it is behind what was written down already: one that was set back says that a
 * provider still knows a key that it forgot long ago.
 */
export function believableNow({ journal }: Pick<Connection, 'journal'>, wallMs: number): number | null {
  return wallMs + CLOCK_DIVERGENCE_MS >= journal.head.time.wallMs ? wallMs : null;
}

/** What the record says of an unclear attempt, for `automaticRecovery`: the same until something is written. */
export function recordedFacts(db: Connection['db'], attempt: AttemptRecord): Omit<AutomaticRecoveryFacts, 'nowMs'> {
  const { effectKind, dedupeUntilMs } = intentOf(attempt);
  const { run_id: runId, effect_key: effectKey, attempt_number: attemptNumber } = attempt;
  const latest = latestAttempt(db, runId, effectKey);
  const isLater = latest !== null && latest.attempt_number > attemptNumber;
  return {
    effectKind,
    dedupeUntilMs,
    isProbeSilent: attempt.probe !== null,
    attemptNumber,
    isRepeatRefused: isLater && latest.output_digest !== null,
  };
}

/** What may be done about an unclear attempt at this moment without asking anybody. */
export function recoveryNow(
  { db, journal }: Pick<Connection, 'db' | 'journal'>,
  attempt: AttemptRecord,
  wallMs: number,
): AutomaticRecovery {
  return automaticRecovery({ ...recordedFacts(db, attempt), nowMs: believableNow({ journal }, wallMs) });
}

/** An entry that says that nobody knows how an attempt ended. */
export interface DoubtEntry {
  readonly deviceId: DeviceId;
  readonly journalSeq: number;
  readonly code: string;
}

/** All of them about one attempt, in the order in which they came to be known here. */
export function doubtsOf({ db }: Pick<Connection, 'db'>, attempt: AttemptRecord): readonly DoubtEntry[] {
  return readAll<DoubtEntry>(
    db,
    `SELECT device_id AS deviceId, journal_seq AS journalSeq, json_extract(payload, '$.code') AS code FROM ops
       WHERE run_id = ? AND kind = 'recovery.in-doubt' AND json_extract(payload, '$.attemptToken') = ? ORDER BY seq`,
    attempt.run_id,
    attempt.attempt_token,
  );
}

/** Why nobody knows how an attempt ended, as it was written down last; `null` if it was not. */
export function doubtCodeOf(connection: Pick<Connection, 'db'>, attempt: AttemptRecord): string | null {
  return doubtsOf(connection, attempt).at(-1)?.code ?? null;
}

/** What makes an unclear attempt like others. A silent look is no evidence. */
export function doubtFacts(connection: Pick<Connection, 'db'>, attempt: AttemptRecord): DoubtFacts {
  return {
    tool: intentOf(attempt).tool,
    doubtCode: doubtCodeOf(connection, attempt),
    madeBy: claimOf(attempt)?.owner.deviceId ?? null,
    hasEvidence: attempt.evidence !== null || evidenceOf(attempt) !== null,
  };
}

/** What a late answer or the last look said about an attempt; `null` if neither said anything definite. */
export function evidenceOf(attempt: AttemptRecord): RecoveryFacts['evidence'] {
  if (attempt.evidence !== null) {
    const { outcome } = JSON.parse(attempt.evidence) as { outcome: { kind: string; wasSent?: boolean } };
    if (outcome.kind === 'success') return 'happened';
    if (outcome.kind === 'failure' && outcome.wasSent === false) return 'did-not-happen';
  }
  if (attempt.probe === null) return null;
  const { answer } = JSON.parse(attempt.probe) as { answer: 'happened' | 'did-not-happen' | 'silent' };
  return answer === 'silent' ? null : answer;
}
