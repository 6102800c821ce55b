import { z } from 'zod';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import {
  EPOCH_KEY_BYTES,
  EPOCH_LIMIT,
  KEYS_PER_EPOCH_LIMIT,
  RECOVERY_WRAP_LIMIT,
  inCommonOrder,
  wrappedKeySchema,
} from './key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { SPACE_SECRET_BYTES, spaceIdOf, spaceIdOfKey } from './space-secret.ts';

/** The largest ring that the other limits allow is below this. */
export const KEY_RING_LIMIT_CHARACTERS = 2 * 1_048_576;

const keyText = z.base64url().length(43);
const schema = z.strictObject({
  version: z.literal(1),
  recoveryPublicKey: keyText,
  secret: keyText.nullable(),
  epochs: z
    .array(
      z.strictObject({
        epoch: z.int().min(1).max(EPOCH_LIMIT),
        keys: z.array(keyText).min(1).max(KEYS_PER_EPOCH_LIMIT),
      }),
    )
    .min(1)
    .max(EPOCH_LIMIT),
  recoveryWraps: z.array(wrappedKeySchema.extend({ deviceId: z.null() })).max(RECOVERY_WRAP_LIMIT),
});

/** The ring as text, keys included: only for a store of secrets or inside something encrypted. */
export function writeKeyRing({ recoveryPublicKey, secret, keys, recoveryWraps }: KeyRing): string {
  const epochs = [...keys].map(([epoch, each]) => ({ epoch, keys: each.map((key) => key.toString('base64url')) }));
  return JSON.stringify({
    version: 1,
    recoveryPublicKey,
    secret: secret?.toString('base64url') ?? null,
    epochs,
    recoveryWraps,
  });
}

/** Reads what `writeKeyRing` wrote. Error `sync-key-missing` for everything else; it quotes nothing. */
export function readKeyRing(text: string): Result<KeyRing, Problem> {
  const read = text.length <= KEY_RING_LIMIT_CHARACTERS ? schema.safeParse(parsedOrNull(text)) : null;
  if (read?.success !== true) return damaged();
  const { recoveryPublicKey, recoveryWraps, epochs } = read.data;
  const spaceId = spaceIdOfKey(recoveryPublicKey);
  const secret = read.data.secret === null ? null : bytesOf(read.data.secret, SPACE_SECRET_BYTES);
  if (read.data.secret !== null && (secret === null || spaceIdOf(secret) !== spaceId)) return damaged();
  const keys = new Map<number, readonly Buffer[]>();
  for (const { epoch, keys: texts } of epochs) {
    const each = texts.flatMap((one) => bytesOf(one, EPOCH_KEY_BYTES) ?? []);
    // Each rotation is vouched for by the key before it, so that a ring has no holes.
    if (epoch !== keys.size + 1 || each.length !== texts.length) return damaged();
    keys.set(epoch, inCommonOrder(each));
  }
  return ok({ spaceId, recoveryPublicKey, secret, keys, currentEpoch: keys.size, recoveryWraps });
}

/** `null` for text that is not JSON; the words of the parser would quote it. */
function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function bytesOf(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : null;
}

function damaged(): Result<never, Problem> {
  const message = 'The keys that this device reads the others with are damaged.';
  return err(
    problem('sync-key-missing', message, 'Nothing was lost. Connect this device again, or type the recovery words.'),
  );
}
