import { z } from 'zod';
import { agentIdSchema, deviceIdSchema } from './identifiers.ts';

const nothing = z.strictObject({});
const host = z.string().trim().min(1).max(253);
const port = z.int().min(1).max(65_535);
const pem = z.string().max(65_536);
const epoch = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A PostgreSQL server, without its password. */
export const postgresChoiceSchema = z.strictObject({
  kind: z.literal('postgres'),
  host,
  port: port.default(5_432),
  database: z.string().trim().min(1).max(63),
  user: z.string().trim().min(1).max(63),
  tls: z.enum(['verify', 'off']).default('verify'),
  /** The authority that signed the server's certificate; empty for the authorities of the system. */
  authorityPem: pem.default(''),
});

/**
 * Where the right to act is kept, as a person sets it up. Nothing in it is secret: passwords, tokens and private keys are
 * kept with the other secrets of the device.
 */
export const coordinatorChoiceSchema = z.discriminatedUnion('kind', [
  /** In this device's own record: nobody else takes part. */
  z.strictObject({ kind: z.literal('embedded') }),
  /** The hub that this device runs itself (`hub.start`). */
  z.strictObject({ kind: z.literal('this-hub') }),
  /** The hub that this device is paired with (`devices.join`). */
  z.strictObject({ kind: z.literal('hub') }),
  postgresChoiceSchema,
  z.strictObject({
    kind: z.literal('etcd'),
    endpoints: z
      .array(z.url({ protocol: /^https?$/u }).max(300))
      .min(1)
      .max(9),
    user: z.string().trim().max(128).default(''),
    prefix: z.string().trim().min(1).max(200).default('fencepost/v1/'),
    authorityPem: pem.default(''),
    /** This device's own certificate for mutual TLS; its key comes with the secrets. */
    certificatePem: pem.default(''),
  }),
]);

/** What goes with a choice and is never shown again. An empty one means: as it was kept before. */
export const coordinatorSecretsSchema = z
  .strictObject({ password: z.string().max(1_000).default(''), privateKeyPem: pem.default('') })
  .default({ password: '', privateKeyPem: '' });

const withChoice = z.strictObject({ choice: coordinatorChoiceSchema, secrets: coordinatorSecretsSchema });

/** Requests about where the right to act is kept, and about the devices that share it. */
export const coordinatorRequestSchemas = {
  'coordinator.get': nothing,
  /** Tries a choice without changing anything. */
  'coordinator.test': withChoice,
  /** Moves every agent there, drained first, and uses it from then on. */
  'coordinator.move': withChoice,
  /** Leaves off a move that waits; what has been moved stays moved. */
  'coordinator.cancelMove': nothing,
  /** A restored or failed-over server is the right one: it gets a new life, and each agent is raised by hand. */
  'coordinator.confirmRestore': nothing,
  'leases.takeOver': z.strictObject({ agentId: agentIdSchema, seenEpoch: epoch }),
  'leases.setTakeover': z.strictObject({ agentId: agentIdSchema, takeover: z.enum(['automatic', 'by-person']) }),
  'leases.bump': z.strictObject({ agentId: agentIdSchema }),
  'hub.start': z.strictObject({ port: port.default(7_411) }),
  'hub.stop': nothing,
  'devices.list': nothing,
  'devices.invite': nothing,
  'devices.cancelInvite': nothing,
  /** The words on both screens are the same, or not. */
  'devices.answer': z.strictObject({ invitationId: z.string().min(1).max(160), isAllowed: z.boolean() }),
  'devices.rename': z.strictObject({ deviceId: deviceIdSchema, name: z.string().trim().min(1).max(60) }),
  'devices.revoke': z.strictObject({ deviceId: deviceIdSchema }),
  /** Begins pairing this device with the hub that made the link. */
  'devices.join': z.strictObject({ link: z.string().trim().min(1).max(4_096) }),
  'devices.cancelJoin': nothing,
} as const;

export type CoordinatorChoice = z.output<typeof coordinatorChoiceSchema>;
export type CoordinatorSecrets = z.output<typeof coordinatorSecretsSchema>;
