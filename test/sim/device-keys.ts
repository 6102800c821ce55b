import { wrapKeyFrom } from '../../src/main/relays/seal/wrap-key.ts';
import { WRAP_KEY_SECRET } from '../../src/main/relays/seal/kept-keys.ts';
import { DEVICE_KEY_SECRET } from '../../src/main/secrets/device-key.ts';
import type { SecretStore } from '../../src/main/secrets/secret-store.ts';
import { ok } from '../../src/shared/lib/result.ts';
import type { Random } from '../harness/random.ts';

const KEY_BYTES = 32;
/** What stands before the bytes of an Ed25519 key in PKCS #8. */
const PKCS8_BEFORE_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Bytes that look random and are the same for the same seed. */
export function drawKeyBytes(random: Random): Buffer {
  return Buffer.from(Array.from({ length: KEY_BYTES }, () => random.below(256)));
}

/** The keychain of a simulated device: the keys that it would have made are there, drawn from its seed. */
export class DeviceKeys implements SecretStore {
  readonly #random: Random;
  readonly #values = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random;
    this.beginAnew();
  }

  /** For a new device on the same machine. */
  beginAnew(): void {
    this.#values.clear();
    const signing = Buffer.concat([PKCS8_BEFORE_ED25519, drawKeyBytes(this.#random)]).toString('base64url');
    this.#values.set(DEVICE_KEY_SECRET, signing);
    this.#values.set(WRAP_KEY_SECRET, wrapKeyFrom(drawKeyBytes(this.#random)));
  }

  read(name: string): Promise<string | null> {
    return Promise.resolve(this.#values.get(name) ?? null);
  }

  names(): Promise<readonly string[]> {
    return Promise.resolve([...this.#values.keys()].toSorted());
  }

  write(name: string, value: string): ReturnType<SecretStore['write']> {
    this.#values.set(name, value);
    return Promise.resolve(ok(null));
  }

  remove(name: string): ReturnType<SecretStore['remove']> {
    this.#values.delete(name);
    return Promise.resolve(ok(null));
  }

  protection(): ReturnType<SecretStore['protection']> {
    return { kind: 'session', sentence: 'In memory.' };
  }
}
