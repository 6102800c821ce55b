import type { ConflictAttempt, ConflictView } from '../../shared/contract/sync-views.ts';
import type { EffectOutcome } from '../../shared/core/effect/effect-outcome.ts';
import { readAll, readOne } from '../store/connection.ts';
import { findRun, intentOf, outcomeOf } from '../store/rows.ts';
import type { AttemptRecord } from '../store/rows.ts';
import { plainly } from './failure-words.ts';
import { sharedNameOf } from './sync-names.ts';
import type { ViewSource } from './view-source.ts';
import { toolWords } from './words.ts';

/** The most effects that are shown, newest first, and the most attempts of each. */
const CONFLICT_LIMIT = 50;
const ATTEMPT_LIMIT = 8;

/**
 * An attempt that may have changed something outside: it was started, and an answer, a later one or the check says so. What
 * only reads, and what the other side does once however often it is asked, cannot happen twice.
 */
const MAY_HAVE_HAPPENED = `started_at_ms IS NOT NULL AND owner IS NOT NULL
  AND json_extract(intent, '$.effectKind') NOT IN ('read-only', 'idempotent-by-key')
  AND (json_extract(outcome, '$.kind') = 'success' OR json_extract(evidence, '$.outcome.kind') = 'success'
    OR (progress = 'in-flight' AND json_extract(probe, '$.answer') = 'happened'))`;

interface Twice {
  readonly run_id: string;
  readonly effect_key: string;
}

/** Effects that two or more devices carried out, or may have, with their attempts side by side. */
export function conflictViews(source: ViewSource): readonly ConflictView[] {
  const { db } = source.connection;
  const twice = readAll<Twice>(
    db,
    `WITH again AS (SELECT run_id, effect_key FROM attempts GROUP BY run_id, effect_key HAVING count(*) > 1)
     SELECT run_id, effect_key FROM again JOIN attempts USING (run_id, effect_key) WHERE ${MAY_HAVE_HAPPENED}
     GROUP BY run_id, effect_key HAVING count(DISTINCT json_extract(owner, '$.deviceId')) > 1
     ORDER BY max(started_at_ms) DESC, run_id, effect_key LIMIT ?`,
    CONFLICT_LIMIT,
  );
  return twice.flatMap((each) => conflictView(source, each) ?? []);
}

function conflictView(source: ViewSource, of: Twice): ConflictView | null {
  const { db } = source.connection;
  const attempts = readAll<AttemptRecord>(
    db,
    `SELECT * FROM attempts WHERE run_id = ? AND effect_key = ? AND ${MAY_HAVE_HAPPENED}
     ORDER BY started_at_ms, attempt_token LIMIT ?`,
    of.run_id,
    of.effect_key,
    ATTEMPT_LIMIT,
  );
  const first = attempts.at(0);
  if (first === undefined) return null;
  const counting = countingToken(source, of);
  const { title, target } = intentOf(first);
  return {
    runId: of.run_id,
    runTitle: findRun(db, of.run_id)?.title ?? '',
    effectTitle: title,
    target,
    attempts: attempts.map((attempt) => attemptView(source, attempt, counting)),
  };
}

/** The attempt whose success the run goes on from; `null` while none is settled. */
function countingToken({ connection }: ViewSource, of: Twice): string | null {
  const sql = `SELECT json_extract(ops.payload, '$.attemptToken') AS token FROM oracle
    JOIN ops ON ops.run_id = oracle.run_id AND ops.op_id = oracle.op_id WHERE oracle.run_id = ? AND oracle.effect_key = ?`;
  return readOne<{ token: string }>(connection.db, sql, of.run_id, of.effect_key)?.token ?? null;
}

function attemptView(source: ViewSource, attempt: AttemptRecord, counting: string | null): ConflictAttempt {
  const owner = JSON.parse(attempt.owner ?? '{}') as { deviceId?: string };
  return {
    deviceName: sharedNameOf(source, owner.deviceId ?? ''),
    epoch: attempt.epoch,
    number: attempt.attempt_number,
    startedAtMs: attempt.started_at_ms,
    sentence: sentenceOf(source, attempt),
    counts: attempt.attempt_token === counting,
  };
}

function sentenceOf(source: ViewSource, attempt: AttemptRecord): string {
  const { done } = toolWords(intentOf(attempt).tool);
  const evidence =
    attempt.evidence === null ? null : (JSON.parse(attempt.evidence) as { outcome: EffectOutcome; summary: string });
  if (outcomeOf(attempt)?.kind === 'success') {
    if (attempt.settled_by === 'person') return `A person said that it was ${done}.`;
    if (attempt.settled_by === 'probe') return `The check found that it was ${done}.`;
    return `It was ${done}. ${plainly(summaryOf(source, attempt))}`.trim();
  }
  if (evidence?.outcome.kind === 'success')
    return `The answer came later: it was ${done}. ${plainly(evidence.summary)}`.trim();
  return `No answer came, but the check found that it was ${done}.`;
}

/** What the tool said, from the newest entry that settled the attempt. */
function summaryOf({ connection }: ViewSource, attempt: AttemptRecord): string {
  const sql = `SELECT json_extract(payload, '$.summary') AS summary FROM ops WHERE run_id = ? AND kind = 'settle.recorded'
    AND json_extract(payload, '$.attemptToken') = ? ORDER BY seq DESC LIMIT 1`;
  return readOne<{ summary: string | null }>(connection.db, sql, attempt.run_id, attempt.attempt_token)?.summary ?? '';
}
