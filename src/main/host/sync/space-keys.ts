import { z } from 'zod';
import type { Problem } from '../../../shared/contract/errors.ts';
import { problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { publicKeyOf } from '../../hub/proofs.ts';
import { ensureWrapKey, keepRing, readKeptRing } from '../../relays/seal/kept-keys.ts';
import { rotateKeys, rotationSchema, unwrapKey } from '../../relays/seal/key-ring.ts';
import type { KeyRing, RotationDevice, WrappedKey } from '../../relays/seal/key-ring.ts';
import { signHead } from '../../relays/seal/sign-journal.ts';
import { wrapPublicKeyOf } from '../../relays/seal/wrap-key.ts';
import { ensureDeviceKey } from '../../secrets/device-key.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import type { JournalSigner } from './own-journal.ts';

/** What an entry of the kind `sync.keys-rotated` holds. */
export const rotatedSchema = z.object({ rotation: rotationSchema });

/** A key that was made for a rotation, before anybody has it. */
interface RotatedKeys {
  readonly ring: KeyRing;
  readonly wrapped: readonly WrappedKey[];
}

/** The keys of one device in a space. What is new is durable before anything is sealed with it. */
export class SpaceKeys {
  readonly #secrets: SecretStore;
  readonly #deviceId: DeviceId;
  readonly #wrapPrivateKey: string;
  readonly signer: JournalSigner;
  /** X25519, public: what others wrap keys for. */
  readonly wrapPublicKey: string;
  #ring: KeyRing;
  #keeping: Promise<unknown> = Promise.resolve();

  private constructor(of: { secrets: SecretStore; deviceId: DeviceId; signing: string; wrap: string; ring: KeyRing }) {
    this.#secrets = of.secrets;
    this.#deviceId = of.deviceId;
    this.#wrapPrivateKey = of.wrap;
    this.#ring = of.ring;
    this.wrapPublicKey = wrapPublicKeyOf(of.wrap);
    this.signer = { publicKey: publicKeyOf(of.signing), sign: (head) => signHead(of.signing, head) };
  }

  /** With a new ring, which is kept, or with the one that was kept. Error `sync-key-missing` where there is none. */
  static async open(secrets: SecretStore, deviceId: DeviceId, ring?: KeyRing): Promise<Result<SpaceKeys, Problem>> {
    const signing = await ensureDeviceKey(secrets);
    if (!signing.ok) return signing;
    const wrap = await ensureWrapKey(secrets);
    if (!wrap.ok) return wrap;
    if (ring !== undefined) {
      const kept = await keepRing(secrets, ring);
      if (!kept.ok) return kept;
    }
    const found = ring === undefined ? await readKeptRing(secrets) : ok(ring);
    if (!found.ok) return found;
    if (found.value === null) {
      const message = 'The keys with which this device reads the others are gone.';
      return err(problem('sync-key-missing', message, 'Stop sharing here and join again with the recovery words.'));
    }
    return ok(new SpaceKeys({ secrets, deviceId, signing: signing.value, wrap: wrap.value, ring: found.value }));
  }

  get ring(): KeyRing {
    return this.#ring;
  }

  /** Forgets the recovery words. */
  async forgetWords(): Promise<Result<null, Problem>> {
    const { secret } = this.#ring;
    const forgotten = await this.hold({ ...this.#ring, secret: null });
    if (!forgotten.ok) this.#ring = { ...this.#ring, secret };
    return forgotten;
  }

  /** The next key for these devices, and the ring with it. Nothing has it before the rotation is durable and `hold` was called. */
  next(devices: readonly RotationDevice[]): Result<RotatedKeys, Problem> {
    const rotated = rotateKeys(this.#ring, devices);
    if (rotated.ok) return ok(rotated.value);
    const message = `No new key could be made (${rotated.error.kind}).`;
    return err(problem('internal', message, 'Nothing was changed.'));
  }

  /** Takes in the key of a rotation that another device told of. What is not for this device changes nothing. */
  async accept(payload: string): Promise<Result<null, Problem>> {
    const read = rotatedSchema.safeParse(JSON.parse(payload));
    if (!read.success) return ok(null);
    const device = { deviceId: this.#deviceId, wrapPrivateKey: this.#wrapPrivateKey };
    const taken = unwrapKey(this.#ring, device, read.data.rotation);
    return taken.ok ? await this.hold(taken.value) : ok(null);
  }

  /** Uses a ring without keeping it, while its rotation is being written down. */
  use(ring: KeyRing): void {
    this.#ring = ring;
  }

  /** Uses a ring at once and keeps it. Its keys are in the record already, wrapped for this device. */
  async hold(ring: KeyRing): Promise<Result<null, Problem>> {
    this.#ring = ring;
    // The newest one, whoever was first: a key that another one brings meanwhile must not be written over.
    const kept = this.#keeping.then(() => keepRing(this.#secrets, this.#ring));
    this.#keeping = kept;
    return await kept;
  }
}
