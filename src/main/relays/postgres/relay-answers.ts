import type { QueryResult } from 'pg';
import { z } from 'zod';
import { deviceIdSchema } from '../../../shared/contract/identifiers.ts';
import { BOX_LIMIT_CHARACTERS, CHECKPOINT_PART_LIMIT } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';

/** What the server said to one text of statements. */
export type PostgresAnswers = readonly QueryResult<Record<string, unknown>>[];

/** Something in the database is not what a relay keeps there. */
export class DamagedRelayError extends Error {
  override readonly name = 'DamagedRelayError';
}

const count = z.int().min(0);
/** Numbers of eight bytes arrive as text. */
const longCount = z
  .string()
  .regex(/^\d{1,16}$/u)
  .transform(Number)
  .pipe(count);
/** Looked at as it is: a record of zod leaves out a device that is called `__proto__`. */
const frontier = z.custom<Frontier>((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([deviceId, seq]) => isDevice(deviceId) && count.safeParse(seq).success);
});
const isDevice = (value: unknown): boolean => deviceIdSchema.safeParse(value).success;
const box = z
  .string()
  .max(BOX_LIMIT_CHARACTERS)
  .regex(/^[\w-]+$/u);

/** What a sealed operation has to look like, before it is kept and after it came back. */
export const sealedOperationSchema = z.strictObject({
  deviceId: deviceIdSchema,
  seq: count.min(1),
  wallMs: count,
  counter: count,
  box,
});

/** What a checkpoint's header has to look like, before it is kept and after it came back. */
export const checkpointHeaderSchema = z.strictObject({
  checkpointId: z.string().regex(/^[0-9a-f]{64}$/u),
  deviceId: deviceIdSchema,
  frontier,
  partCount: count.min(1).max(CHECKPOINT_PART_LIMIT),
});

/** One encrypted part of a checkpoint. */
export const checkpointPartSchema = box;

/** What `fencepost.relay_contact` answers. */
export const contactAnswerSchema = z.strictObject({
  schemaVersion: count,
  heads: frontier,
  members: z.array(
    z.strictObject({ deviceId: deviceIdSchema, lastSeenAtMs: count, acknowledged: frontier, isLetGo: z.boolean() }),
  ),
  checkpoint: checkpointHeaderSchema.nullable(),
});

/** What `fencepost.relay_push` answers. */
export const pushAnswerSchema = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.literal('kept'), head: count }),
  z.strictObject({ verdict: z.enum(['fork', 'gap']), head: count, seq: count }),
]);

/** One row of what `fencepost.relay_pull` answers; columns that a kind does not need are empty. */
export const pulledRowSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('truncated'), device: deviceIdSchema }),
  z.object({ kind: z.literal('lost') }),
  z.object({ kind: z.literal('more') }),
  z.object({
    kind: z.literal('operation'),
    device: deviceIdSchema,
    at_seq: longCount,
    at_wall_ms: longCount,
    at_counter: longCount,
    sealed: box,
  }),
]);

/**
 * The rows that a transaction of one question answered.
 * @throws TypeError unless it was committed: PostgreSQL answers the COMMIT of a failed one with ROLLBACK
 */
export function rowsOf(answers: PostgresAnswers): readonly Record<string, unknown>[] {
  if (answers.at(-1)?.command !== 'COMMIT') throw new TypeError('The database kept nothing.');
  return answers.find(({ command }) => command === 'SELECT')?.rows ?? [];
}

/**
 * The one value that a transaction of one question answered, checked.
 * @throws TypeError as `rowsOf`, DamagedRelayError where it is not of this shape
 */
export function valueOf<Value>(answers: PostgresAnswers, schema: z.ZodType<Value>): Value {
  return checked(rowsOf(answers)[0]?.['value'], schema);
}

/** @throws DamagedRelayError where it is not of this shape; its sentence repeats nothing of what came */
export function checked<Value>(value: unknown, schema: z.ZodType<Value>): Value {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const path = read.error.issues[0]?.path.join('.') ?? '';
  const where = path === '' ? 'An answer' : `“${path.slice(0, PATH_CHARACTERS)}” in an answer`;
  throw new DamagedRelayError(`${where} of the database is not what Fencepost keeps there.`);
}

/** How much of a path, which may hold ids, stands in a sentence, characters. */
const PATH_CHARACTERS = 80;
