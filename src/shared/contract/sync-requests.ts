import { z } from 'zod';
import { coordinatorSecretsSchema, postgresChoiceSchema } from './coordinator-requests.ts';
import { deviceIdSchema } from './identifiers.ts';

const nothing = z.strictObject({});

/** What carries the journals between devices, as a person sets it up. Nothing in it is secret. */
export const relayChoiceSchema = z.discriminatedUnion('kind', [
  /** A folder that another program keeps in step between the devices. */
  z.strictObject({ kind: z.literal('folder'), folder: z.string().trim().min(1).max(4_096) }),
  /** The hub that this device is paired with. */
  z.strictObject({ kind: z.literal('hub') }),
  /** The hub that this device runs itself. */
  z.strictObject({ kind: z.literal('this-hub') }),
  postgresChoiceSchema,
]);

const withRelay = { relay: relayChoiceSchema, secrets: coordinatorSecretsSchema };

/** Requests about the journals that devices share. */
export const syncRequestSchemas = {
  'sync.get': nothing,
  /** Begins to share with a new set of recovery words. */
  'sync.create': z.strictObject(withRelay),
  /** Takes part in what other devices share, with their recovery words. */
  'sync.join': z.strictObject({ ...withRelay, words: z.string().min(1).max(4_096) }),
  /** The recovery words, for as long as this device keeps them. */
  'sync.words': nothing,
  /** The sheet has been printed: the words are forgotten here. */
  'sync.forgetWords': nothing,
  /** Stops sharing; what was taken in stays. */
  'sync.leave': nothing,
  'sync.now': nothing,
  /** Nothing that the device writes from now on is taken in, and it gets no new keys. */
  'sync.letGo': z.strictObject({ deviceId: deviceIdSchema }),
  /** Looks once more at a journal that was put aside. */
  'sync.tryAgain': z.strictObject({ deviceId: deviceIdSchema }),
  /** Makes this device another one at its next start: its record is an older copy, or a second one of the same. */
  'sync.newIdentity': nothing,
} as const;

export type RelayChoice = z.output<typeof relayChoiceSchema>;
