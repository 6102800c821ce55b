import type { Problem } from '../../shared/contract/errors.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { newDeviceKey } from '../hub/proofs.ts';
import type { SecretStore } from './secret-store.ts';

/** Under which name a device keeps the Ed25519 key that it proves itself with; the same for every hub, pairing and journal. */
export const DEVICE_KEY_SECRET = 'hub-device-key';

type Secrets = Pick<SecretStore, 'read' | 'write'>;

/** What is being made just now, so that two who ask at the same time do not get two keys, one of which is not kept. */
const underWay = new WeakMap<Secrets, Map<string, Promise<Result<string, Problem>>>>();

/** The one key of this device (private part, PKCS #8, base64url), made the first time and never sent. */
export async function ensureDeviceKey(secrets: Secrets): Promise<Result<string, Problem>> {
  return await ensureKey(secrets, { name: DEVICE_KEY_SECRET, make: () => newDeviceKey().privateKey });
}

/** A key that a device makes once and keeps under a name. Error `store-unsure` where the store cannot be read. */
export async function ensureKey(
  secrets: Secrets,
  key: { readonly name: string; readonly make: () => string },
): Promise<Result<string, Problem>> {
  const ofStore = underWay.get(secrets) ?? new Map<string, Promise<Result<string, Problem>>>();
  underWay.set(secrets, ofStore);
  const running = ofStore.get(key.name);
  if (running !== undefined) return await running;
  const started = readOrMake(secrets, key);
  ofStore.set(key.name, started);
  try {
    return await started;
  } finally {
    ofStore.delete(key.name);
  }
}

async function readOrMake(
  secrets: Secrets,
  { name, make }: { readonly name: string; readonly make: () => string },
): Promise<Result<string, Problem>> {
  try {
    const kept = await secrets.read(name);
    if (kept !== null) return ok(kept);
    const made = make();
    const written = await secrets.write(name, made);
    return written.ok ? ok(made) : written;
  } catch {
    const message = 'The key of this device cannot be read from its secrets.';
    return err(problem('store-unsure', message, 'Nothing was sent. Unlock the keychain of this device and try again.'));
  }
}
