import { z } from 'zod';
import { identifierProblem } from '../../../shared/contract/identifiers.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { BOX_LIMIT_CHARACTERS, CHECKPOINT_PART_LIMIT } from '../../../shared/core/sync/sealed.ts';
import type { CheckpointHeader, Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { RELAY_BATCH_OPERATIONS } from '../../relays/relay.ts';
import type { PulledOperations, RelayState } from '../../relays/relay.ts';
import { RELAY_DEVICE_LIMIT } from './relay-storage.ts';

/** Where the hub answers as a relay. Every question is a POST with a body of its own. */
export const RELAY_PATHS = {
  contact: '/v1/relay/contact',
  push: '/v1/relay/push',
  pull: '/v1/relay/pull',
  acknowledge: '/v1/relay/acknowledge',
  beginCheckpoint: '/v1/relay/checkpoint/begin',
  addPart: '/v1/relay/checkpoint/part',
  endCheckpoint: '/v1/relay/checkpoint/end',
  checkpointPart: '/v1/relay/checkpoint/read',
  collect: '/v1/relay/collect',
  letGo: '/v1/relay/let-go',
} as const;

/** The longest sentence of a hub that is shown, characters. */
const SENTENCE_LIMIT = 500;

const text = z.string().refine((value) => identifierProblem(value) === null);
const deviceId = text.transform((value) => value as DeviceId);
const count = z.int().min(0);
const box = z
  .string()
  .max(BOX_LIMIT_CHARACTERS)
  .regex(/^[A-Za-z0-9_-]+$/u);
const checkpointId = z.string().regex(/^[0-9a-f]{64}$/u);
const uploadId = z.string().regex(/^[0-9a-f-]{36}$/u);
const partIndex = count.max(CHECKPOINT_PART_LIMIT - 1);

/** A frontier as it arrives, or as a file keeps it. Not a record of zod's: that leaves out a device called `__proto__`. */
export const frontierSchema: z.ZodType<Frontier> = z.unknown().transform((value, context): Frontier => {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries: [string, unknown][] = isPlain ? Object.entries(value) : [];
  const isFrontier = entries.every(([name, seq]) => identifierProblem(name) === null && count.safeParse(seq).success);
  if (isPlain && isFrontier && entries.length <= RELAY_DEVICE_LIMIT) return value as Frontier;
  context.issues.push({ code: 'custom', message: 'This is no frontier.', input: value });
  return z.NEVER;
});
const operation: z.ZodType<SealedOperation> = z.strictObject({
  deviceId,
  seq: z.int().min(1),
  wallMs: count,
  counter: count,
  box,
});
const header: z.ZodType<CheckpointHeader> = z.strictObject({
  checkpointId,
  deviceId,
  frontier: frontierSchema,
  partCount: z.int().min(1).max(CHECKPOINT_PART_LIMIT),
});

/** What a device says: every field is checked before any of it is used. */
export const relayRequests = {
  nothing: z.strictObject({}),
  push: z.strictObject({ operations: z.array(operation).max(RELAY_BATCH_OPERATIONS) }),
  have: z.strictObject({ have: frontierSchema }),
  begin: z.strictObject({ header }),
  part: z.strictObject({ uploadId, index: partIndex, part: box }),
  end: z.strictObject({ uploadId }),
  read: z.strictObject({ checkpointId, index: partIndex }),
  letGo: z.strictObject({ deviceId }),
};

const problemSchema = z.object({
  code: z.enum([
    'relay-unreachable',
    'relay-fork',
    'relay-gap',
    'relay-foreign',
    'relay-truncated',
    'relay-full',
    'input-invalid',
  ]),
  message: z.string().min(1).max(SENTENCE_LIMIT).transform(visibleText),
  wayOut: z.string().max(SENTENCE_LIMIT).transform(visibleText),
});

/** What the hub answers: a value, or a problem that says what was not done. */
export type RelayReply<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Problem };

function replyOf<Value>(value: z.ZodType<Value>): z.ZodType<RelayReply<Value>> {
  return z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), value }),
    z.object({ ok: z.literal(false), error: problemSchema }),
  ]);
}

const state: z.ZodType<RelayState> = z.object({
  heads: frontierSchema,
  members: z
    .array(z.object({ deviceId, lastSeenAtMs: count, acknowledged: frontierSchema, isLetGo: z.boolean() }))
    .max(RELAY_DEVICE_LIMIT),
  checkpoint: header.nullable(),
});
const pulled: z.ZodType<PulledOperations> = z.object({
  operations: z.array(operation).max(RELAY_BATCH_OPERATIONS),
  isMore: z.boolean(),
});

/** What a device takes from a hub; anything else is no answer. */
export const relayReplies = {
  state: replyOf(state),
  head: replyOf(z.object({ head: count })),
  pulled: replyOf(pulled),
  done: replyOf(z.null()),
  begun: replyOf(z.object({ uploadId: uploadId.nullable() })),
  part: replyOf(box),
  dropped: replyOf(z.object({ dropped: count })),
};
