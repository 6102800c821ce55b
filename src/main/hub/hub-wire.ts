import { z } from 'zod';
import {
  agentIdSchema,
  attemptTokenSchema,
  effectKeySchema,
  IDENTIFIER_MAX_BYTES,
  identifierProblem,
  runIdSchema,
} from '../../shared/contract/identifiers.ts';
import type { DeviceId } from '../../shared/contract/identifiers.ts';
import type { AdoptedRecord, RegisterVerb, TailEntry } from '../../shared/core/lease/register.ts';
import { TAIL_LENGTH_LIMIT } from '../../shared/core/lease/tail.ts';
import { BATCH_LIMIT, TTL_LIMIT_MS } from './hub-limits.ts';

/** Where the hub answers. */
export const HUB_PATHS = {
  challenge: '/v1/challenge',
  session: '/v1/session',
  ask: '/v1/ask',
  current: '/v1/current',
  changes: '/v1/changes',
  devices: '/v1/devices',
  pair: '/v1/pair',
  pairWait: '/v1/pair/wait',
  pairLeave: '/v1/pair/leave',
} as const;

/** What a proved request carries in its head. */
export const HUB_HEADERS = {
  session: 'x-fencepost-session',
  sequence: 'x-fencepost-sequence',
  mac: 'x-fencepost-mac',
} as const;

/** How many devices a frontier can name. */
const FRONTIER_LIMIT = 256;

const text = z.string().refine((value) => identifierProblem(value) === null);
const deviceId = text.transform((value) => value as DeviceId);
const count = z.int().min(0);
const ttlMs = z.int().min(1).max(TTL_LIMIT_MS);
const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/u);
const secret = base64url.length(43);
const signature = base64url.length(86);
/** What a person calls something: no control characters, so that no screen shows it otherwise than it is. */
const label = z.string().refine((value) => identifierProblem(value) === null && !/[\p{Cf}\p{Zl}\p{Zp}]/u.test(value));

const effect = z.strictObject({ agentId: agentIdSchema, runId: runIdSchema, effectKey: effectKeySchema });
const claim = { deviceId, epoch: count };
const identity = z.strictObject({ coordinatorId: text, incarnation: text });
const movedTo = z.strictObject({ ...identity.shape, name: text });

const entry: z.ZodType<TailEntry> = z
  .strictObject({
    effect,
    attemptToken: attemptTokenSchema,
    deviceId,
    epoch: count,
    status: z.enum(['open', 'committed', 'failed']),
    opId: text.nullable(),
    seq: count.nullable(),
    digest: text,
  })
  .refine(({ status, opId, seq }) => (status === 'open') === (opId === null) && (opId === null) === (seq === null));

const adopted = z.strictObject({
  epoch: count,
  isUnclean: z.boolean(),
  tail: z.array(entry).max(TAIL_LENGTH_LIMIT),
  frontier: z
    .record(z.string().min(1).max(IDENTIFIER_MAX_BYTES), count)
    .refine((value) => Object.keys(value).length <= FRONTIER_LIMIT),
  takeover: z.literal('by-person').optional(),
});

const verb = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('acquire'), deviceId, nonce: text, ttlMs }),
  z.strictObject({ verb: z.literal('renew'), nonce: text, ...claim }),
  z.strictObject({ verb: z.literal('release'), pendingClaims: count, isHoldOffOver: z.boolean(), ...claim }),
  z.strictObject({
    verb: z.literal('announce'),
    entry: z.strictObject({ effect, attemptToken: attemptTokenSchema, digest: text }),
    permit: z
      .strictObject({
        reason: z.enum(['decision', 'automatic-repeat']),
        attemptToken: attemptTokenSchema,
        status: z.enum(['open', 'committed']),
      })
      .nullable(),
    ...claim,
  }),
  z.strictObject({
    verb: z.literal('settle-tail'),
    effect,
    attemptToken: attemptTokenSchema,
    status: z.enum(['committed', 'failed', 'withdrawn']),
    opId: text,
    seq: count,
    ...claim,
  }),
  z.strictObject({ verb: z.literal('prune-tail'), uptoSeq: count, ofDeviceId: deviceId.optional(), ...claim }),
  z.strictObject({ verb: z.literal('take-over'), deviceId, nonce: text, ttlMs, seenEpoch: count }),
  z.strictObject({ verb: z.literal('set-takeover'), deviceId, takeover: z.enum(['automatic', 'by-person']) }),
  z.strictObject({ verb: z.literal('bump'), deviceId, seenEpoch: count, aboveEpoch: count }),
  z.strictObject({
    verb: z.literal('retire'),
    pendingClaims: count,
    isHoldOffOver: z.boolean(),
    to: movedTo,
    ...claim,
  }),
  z.strictObject({ verb: z.literal('adopt'), deviceId, source: identity, from: adopted }),
]);

const MEMBERS: ReadonlyMap<string, readonly string[]> = new Map(
  verb.options.map(({ shape }) => [shape.verb.value, Object.keys(shape)]),
);

/** A verb without what its caller happened to have on the same object: the hub takes exactly what it knows. */
export function bareVerb(asked: RegisterVerb): object {
  const known = MEMBERS.get(asked.verb) ?? [];
  return Object.fromEntries(Object.entries(asked).filter(([name]) => known.includes(name)));
}

/** A verb as it arrives: what is left out stays left out. */
function asVerb(value: z.output<typeof verb>): RegisterVerb {
  if (value.verb !== 'adopt') return value;
  const { takeover, ...rest } = value.from;
  const from: AdoptedRecord = takeover === undefined ? rest : { ...rest, takeover };
  return { ...value, from };
}

/** Every question is checked before one of them is asked: a malformed one spoils the whole request. */
export const askRequestSchema = z
  .array(z.strictObject({ agentId: agentIdSchema, verb: verb.transform(asVerb) }))
  .min(1)
  .max(BATCH_LIMIT);
export const currentRequestSchema = z.array(agentIdSchema).min(1).max(BATCH_LIMIT);
export const challengeRequestSchema = z.strictObject({ deviceId });
export const signInSchema = z.strictObject({ deviceId, token: secret, challenge: z.string().max(256), signature });
export const pairRequestSchema = z.strictObject({
  invitationId: base64url.length(22),
  secret,
  deviceId,
  name: label,
  publicKey: secret,
  nonce: secret,
  signature,
});
export const pairWaitSchema = z.strictObject({ invitationId: base64url.length(22), secret, signature });
/** The name of a device, as a person may change it. */
export const deviceNameSchema = label;
