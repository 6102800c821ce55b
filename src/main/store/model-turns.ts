import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { EffectKey, StateId } from '../../shared/contract/identifiers.ts';
import { partKeyOf } from '../../shared/core/run/effect-key.ts';
import type { CallResult, ModelAnswer, ModelTurn } from '../../shared/core/run/model-loop.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { readOne } from './connection.ts';
import { latestAttempt, outcomeOf } from './rows.ts';
import type { AttemptRecord, FailedAttempt } from './rows.ts';

/** The most of a call's result that a model is told, in characters. */
const RESULT_LIMIT = 100_000;

const answerSchema = z.object({
  text: z.string(),
  finish: z.enum(['end', 'tool-calls', 'length', 'refused', 'other']),
  calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
});

/** How the questions of one visit went so far. */
export interface RecordedTurns {
  readonly turns: readonly ModelTurn[];
  /** Set if the newest question failed for good, or waits to be asked again. */
  readonly failure: (FailedAttempt & { readonly summary: string }) | null;
}

interface Part {
  readonly summary: string;
  /** `null` where the call was refused before it became an attempt, whether or not there was one before. */
  readonly output: string | null;
}

/** Reads what a model answered in one visit of its state, and what its calls came to, from the record alone. */
export function recordedTurns(
  db: Database,
  place: { runId: string; stateId: StateId; stateVisit: number },
): Result<RecordedTurns, string> {
  const turns: ModelTurn[] = [];
  for (let turn = 1; ; turn += 1) {
    const keyOf = (callId: string | null): EffectKey => partKeyOf(place.stateId, place.stateVisit, { turn, callId });
    const attempt = latestAttempt(db, place.runId, keyOf(null));
    const outcome = attempt === null ? null : outcomeOf(attempt);
    if (attempt === null || outcome === null || outcome.kind === 'unclear' || wasNeverSent(attempt))
      return ok({ turns, failure: null });
    if (outcome.kind === 'failure') {
      const summary = partOf(db, place.runId, keyOf(null))?.summary ?? 'The model gave no answer';
      return ok({ turns, failure: { attempt, outcome, summary } });
    }
    const answer = answerOf(partOf(db, place.runId, keyOf(null)));
    // Settled from the register: the answer is in the record of the device that asked.
    if (answer === null) return err('Another device has asked the model, and what it answered is not known here');
    const results = answer.calls.flatMap(({ id }) => {
      const result = resultOf(db, place.runId, keyOf(id));
      return result === null ? [] : [[id, result] as const];
    });
    turns.push({ answer, results: Object.fromEntries(results) });
  }
}

/** Held back before it was sent: the question is still to be asked. */
function wasNeverSent(attempt: AttemptRecord): boolean {
  return attempt.output_digest === null;
}

function partOf(db: Database, runId: string, effectKey: EffectKey): Part | null {
  return readOne<Part>(
    db,
    `SELECT summary, coalesce(output, (SELECT body FROM blobs WHERE blobs.digest = parts.digest)) AS output FROM parts
       WHERE run_id = ? AND effect_key = ?`,
    runId,
    effectKey,
  );
}

function answerOf(part: Part | null): ModelAnswer | null {
  if (part?.output === null || part === null) return null;
  const parsed = answerSchema.safeParse(JSON.parse(part.output));
  return parsed.success ? parsed.data : null;
}

/** That a call cannot be repeated says nothing about the attempt that was to be repeated. */
function wasInDoubt(db: Database, runId: string, effectKey: EffectKey): boolean {
  const inDoubt = 'SELECT 1 FROM attempts WHERE run_id = ? AND effect_key = ? AND in_doubt_at_ms IS NOT NULL LIMIT 1';
  return readOne(db, inDoubt, runId, effectKey) !== null;
}

/** What a model is told about a call; `null` while the call is still to be made. */
function resultOf(db: Database, runId: string, effectKey: EffectKey): CallResult | null {
  const part = partOf(db, runId, effectKey);
  const attempt = latestAttempt(db, runId, effectKey);
  if (part?.output === null) {
    const more = wasInDoubt(db, runId, effectKey)
      ? 'It was tried before, and may have happened then.'
      : 'Nothing was done.';
    return { text: `${part.summary} ${more}`, isError: true };
  }
  if (attempt === null) return null;
  const outcome = outcomeOf(attempt);
  if (part === null || outcome === null || outcome.kind === 'unclear' || wasNeverSent(attempt)) return null;
  const text = `${part.summary}\n${part.output ?? ''}`.slice(0, RESULT_LIMIT);
  return { text, isError: outcome.kind === 'failure' };
}
