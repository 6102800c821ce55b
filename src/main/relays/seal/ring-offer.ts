import { z } from 'zod';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { withoutSecret } from './key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { unwrapWith, wrapFor } from './wrap-key.ts';
import { KEY_RING_LIMIT_CHARACTERS, readKeyRing, writeKeyRing } from './write-key-ring.ts';

const VERSION_PREFIX = 'fencepost-ring-v1.';
const offerSchema = z.strictObject({
  ephemeral: z.base64url().length(43),
  box: z.base64url().max(2 * KEY_RING_LIMIT_CHARACTERS),
});

/** The two devices of an offer and the pairing that it belongs to. Both sides say the same. */
export interface OfferPlace {
  /** X25519, raw, base64url: of the device that joins. */
  readonly wrapPublicKey: string;
  /** What only this pairing has, for example its nonces, so that an offer fits no other. */
  readonly about: readonly string[];
}

/**
 * All keys of a ring, without the secret, for a device that joins and nobody else. It does not say who offers: the pairing has
 * to have shown that the public key is the device's, and the device takes an offer only from whom it was paired with.
 */
export function offerRing(ring: KeyRing, { wrapPublicKey, about }: OfferPlace): Result<string, Problem> {
  const text = Buffer.from(writeKeyRing(withoutSecret(ring)), 'utf8');
  const wrapped = wrapFor(wrapPublicKey, purposeOf(about), text);
  if (wrapped === null) return refused('The other device has no key that anything can be encrypted for.');
  return ok(`${VERSION_PREFIX}${wrapped.ephemeral}.${wrapped.box}`);
}

/** Opens an offer with this device's own key. Error `sync-key-missing` if it is for another device or pairing, or was changed. */
export function openRingOffer(
  offer: string,
  wrapPrivateKey: string,
  about: readonly string[],
): Result<KeyRing, Problem> {
  const [ephemeral, box, ...more] = offer.startsWith(VERSION_PREFIX)
    ? offer.slice(VERSION_PREFIX.length).split('.', 3)
    : [];
  const read = offerSchema.safeParse({ ephemeral, box });
  const text = read.success && more.length === 0 ? unwrapWith(wrapPrivateKey, purposeOf(about), read.data) : null;
  if (text === null)
    return refused('The keys that another device sent are not for this device, or were changed on the way.');
  return readKeyRing(text.toString('utf8'));
}

function purposeOf(about: readonly string[]) {
  return { about: ['fencepost-ring-offer-v1', ...about], vouchedBy: Buffer.alloc(0) };
}

function refused(message: string): Result<never, Problem> {
  return err(problem('sync-key-missing', message, 'Nothing was kept. Pair the two devices again.'));
}
