import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deviceIdSchema } from '../../../shared/contract/identifiers.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { SealProblem } from './seal-problem.ts';
import { firstKeyOf, recoveryKeyOf, spaceIdOf } from './space-secret.ts';
import { unwrapWith, wrapFor, wrapPublicKeyOf } from './wrap-key.ts';

export const EPOCH_KEY_BYTES = 32;
/** One epoch for each device that was let go; nobody lets go of a thousand. */
export const EPOCH_LIMIT = 1_000;
/** Rotations of one epoch that devices made at the same time without knowing of each other. */
export const KEYS_PER_EPOCH_LIMIT = 8;
/** Devices that a rotation makes a key for. */
const DEVICE_LIMIT = 256;
export const RECOVERY_WRAP_LIMIT = 2 * EPOCH_LIMIT;

/** The key of a new epoch, wrapped for one device. */
export const wrappedKeySchema = z.strictObject({
  epoch: z.int().min(2).max(EPOCH_LIMIT),
  /** `null`: for the recovery words. */
  deviceId: deviceIdSchema.nullable(),
  ephemeral: z.base64url().length(43),
  box: z.base64url().length(64),
});
export type WrappedKey = z.infer<typeof wrappedKeySchema>;

/** A whole rotation as it travels: the new key for each remaining device and for the recovery words. */
export const rotationSchema = z
  .array(wrappedKeySchema)
  .min(1)
  .max(DEVICE_LIMIT + 1);

/**
 * The keys of a space that a device has. Each epoch has one key, or several where devices rotated at the same time: then
 * everybody seals with the first and opens with all.
 */
export interface KeyRing {
  readonly spaceId: string;
  /** Keys are wrapped for it so that the recovery words open them; the space is named after it. */
  readonly recoveryPublicKey: string;
  /**
   * The secret behind the recovery words. A device that has it can open every later key too, even after it was let go, so
   * it is kept only until the sheet is printed; see `withoutSecret`.
   */
  readonly secret: Buffer | null;
  /** By epoch, from 1; in each the keys in an order that is the same on all devices, never none. */
  readonly keys: ReadonlyMap<number, readonly Buffer[]>;
  /** What is new is sealed with this epoch. */
  readonly currentEpoch: number;
  /** The keys from epoch 2 on for the recovery words. Checkpoints carry them. */
  readonly recoveryWraps: readonly WrappedKey[];
}

/** A device that is to have the next key. */
export interface RotationDevice {
  readonly deviceId: DeviceId;
  /** X25519, raw, base64url. */
  readonly wrapPublicKey: string;
}

/**
 * The ring of a secret: of a new space, or of one whose recovery words were typed, with the wraps that its checkpoint carries.
 * Wraps that do not open are left out; what was sealed with their keys says so when it is opened.
 */
export function newKeyRing(secret: Buffer, recoveryWraps: readonly WrappedKey[] = []): KeyRing {
  const first: KeyRing = {
    spaceId: spaceIdOf(secret),
    recoveryPublicKey: wrapPublicKeyOf(recoveryKeyOf(secret)),
    secret,
    keys: new Map([[1, [firstKeyOf(secret)]]]),
    currentEpoch: 1,
    recoveryWraps: [],
  };
  const inOrder = recoveryWraps.toSorted((left, right) => left.epoch - right.epoch).slice(0, RECOVERY_WRAP_LIMIT);
  return inOrder.reduce((ring, wrap) => {
    const key = openWrap(ring, recoveryKeyOf(secret), wrap);
    return key === null || wrap.deviceId !== null ? ring : (withKey(ring, key, wrap) ?? ring);
  }, first);
}

/** What a device keeps for good, and what another is given: all keys, and not the secret. */
export function withoutSecret(ring: KeyRing): KeyRing {
  return { ...ring, secret: null };
}

/** The key that everybody seals with in that epoch; `null` where it is not here. */
export function sealingKey(ring: KeyRing, epoch: number): Buffer | null {
  return ring.keys.get(epoch)?.[0] ?? null;
}

/**
 * Makes the key of the next epoch, for when a device was let go. `wrapped` goes to the others in an operation that is sealed
 * with the epoch before, because they cannot open the new one yet. Devices that are not named cannot open what comes after.
 */
export function rotateKeys(
  ring: KeyRing,
  devices: readonly RotationDevice[],
): Result<{ readonly ring: KeyRing; readonly wrapped: readonly WrappedKey[] }, SealProblem> {
  const epoch = ring.currentEpoch + 1;
  if (epoch > EPOCH_LIMIT) return err({ kind: 'too-large', what: 'the number of rotations', limit: EPOCH_LIMIT });
  if (devices.length > DEVICE_LIMIT) {
    return err({ kind: 'too-large', what: 'the number of devices', limit: DEVICE_LIMIT });
  }
  const key = randomBytes(EPOCH_KEY_BYTES);
  const wrapped: WrappedKey[] = [];
  for (const { deviceId, wrapPublicKey } of [...devices, { deviceId: null, wrapPublicKey: ring.recoveryPublicKey }]) {
    const wrap = wrapFor(wrapPublicKey, purposeOf(ring, { epoch, deviceId }, sealingKey(ring, epoch - 1)), key);
    if (wrap === null) return err({ kind: 'malformed', what: 'the public key of a device' });
    wrapped.push({ epoch, deviceId, ...wrap });
  }
  const next = withKey(ring, key, wrapped.at(-1));
  return next === null ? tooManyKeys() : ok({ ring: next, wrapped });
}

/**
 * Takes the key of a rotation into the ring, by this device's key or, on a device that has the secret, by the recovery key.
 * Taking it twice changes nothing. It opens only if who made it had the key before it; that a device which was let go has that
 * too, and must not be listened to, is for the caller to see.
 */
export function unwrapKey(
  ring: KeyRing,
  device: { readonly deviceId: DeviceId; readonly wrapPrivateKey: string },
  wrapped: readonly WrappedKey[],
): Result<KeyRing, SealProblem> {
  const recovery = wrapped.find((each) => each.deviceId === null);
  if (recovery === undefined)
    return err({ kind: 'malformed', what: 'a rotation without a key for the recovery words' });
  const { epoch } = recovery;
  if (!ring.keys.has(epoch - 1)) return err({ kind: 'unknown-key-epoch', epoch: epoch - 1 });
  const own = wrapped.find((each) => each.deviceId === device.deviceId && each.epoch === epoch);
  const key =
    own === undefined
      ? ring.secret && openWrap(ring, recoveryKeyOf(ring.secret), recovery)
      : openWrap(ring, device.wrapPrivateKey, own);
  if (key === null)
    return err({ kind: own === undefined && ring.secret === null ? 'not-addressed' : 'wrong-key-or-changed', epoch });
  const next = withKey(ring, key, recovery);
  return next === null ? tooManyKeys() : ok(next);
}

function openWrap(ring: KeyRing, privateKey: string, wrap: WrappedKey): Buffer | null {
  for (const before of ring.keys.get(wrap.epoch - 1) ?? []) {
    const key = unwrapWith(privateKey, purposeOf(ring, wrap, before), wrap);
    if (key?.length === EPOCH_KEY_BYTES) return key;
  }
  return null;
}

function purposeOf(ring: KeyRing, { epoch, deviceId }: Pick<WrappedKey, 'epoch' | 'deviceId'>, before: Buffer | null) {
  if (before === null) throw new Error(`A ring without the key of epoch ${epoch - 1} cannot vouch for the next.`);
  const whose = deviceId === null ? ['recovery'] : ['device', deviceId];
  return { about: ['fencepost-epoch-key-v1', ring.spaceId, String(epoch), ...whose], vouchedBy: before };
}

/** The ring with one key more; `null` where an epoch has too many already. */
function withKey(ring: KeyRing, key: Buffer, recoveryWrap: WrappedKey | undefined): KeyRing | null {
  if (recoveryWrap === undefined) return null;
  const { epoch } = recoveryWrap;
  const before = ring.keys.get(epoch) ?? [];
  if (before.some((each) => each.equals(key))) return ring;
  if (before.length >= KEYS_PER_EPOCH_LIMIT || ring.recoveryWraps.length >= RECOVERY_WRAP_LIMIT) return null;
  return {
    ...ring,
    keys: new Map(ring.keys).set(epoch, inCommonOrder([...before, key])),
    currentEpoch: Math.max(ring.currentEpoch, epoch),
    recoveryWraps: [...ring.recoveryWraps, recoveryWrap],
  };
}

/** An order that tells nothing of the keys and is the same on every device, whichever it heard of first. */
export function inCommonOrder(keys: readonly Buffer[]): readonly Buffer[] {
  const named = keys.map((key) => ({
    key,
    name: createHash('sha256').update('fencepost-key-name-v1').update(key).digest('hex'),
  }));
  return named.toSorted((left, right) => (left.name < right.name ? -1 : 1)).map(({ key }) => key);
}

function tooManyKeys(): Result<never, SealProblem> {
  return err({ kind: 'too-large', what: 'the number of keys of one epoch', limit: KEYS_PER_EPOCH_LIMIT });
}
