import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { ensureKey } from '../../secrets/device-key.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import type { KeyRing } from './key-ring.ts';
import { newWrapKey, wrapPublicKeyOf } from './wrap-key.ts';
import { readKeyRing, writeKeyRing } from './write-key-ring.ts';

const RING_SECRET = 'sync-key-ring';
/** Under which name a device keeps the key that others wrap keys for. */
export const WRAP_KEY_SECRET = 'sync-device-key';

/** The ring of this device; `null` where it shares nothing yet. Error `sync-key-missing` where it is there and cannot be read. */
export async function readKeptRing(secrets: Pick<SecretStore, 'read'>): Promise<Result<KeyRing | null, Problem>> {
  let kept: string | null;
  try {
    kept = await secrets.read(RING_SECRET);
  } catch {
    return unreadable('cannot be read now');
  }
  return kept === null ? ok(null) : readKeyRing(kept);
}

/** Keeps the ring instead of the one before it. Nothing may be sealed with a key that was not kept first. */
export async function keepRing(secrets: Pick<SecretStore, 'write'>, ring: KeyRing): Promise<Result<null, Problem>> {
  return await secrets.write(RING_SECRET, writeKeyRing(ring));
}

/** The X25519 key of this device (private part), which others wrap keys for; made the first time and never sent. */
export async function ensureWrapKey(secrets: Pick<SecretStore, 'read' | 'write'>): Promise<Result<string, Problem>> {
  const kept = await ensureKey(secrets, { name: WRAP_KEY_SECRET, make: newWrapKey });
  return !kept.ok || isWrapKey(kept.value) ? kept : unreadable('is damaged');
}

function isWrapKey(text: string): boolean {
  try {
    return wrapPublicKeyOf(text) !== '';
  } catch {
    return false;
  }
}

function unreadable(how: string): Result<never, Problem> {
  const message = `What this device reads the others with ${how} in its store of secrets.`;
  return err(
    problem('sync-key-missing', message, 'Nothing was sent. Unlock the keychain of this device and try again.'),
  );
}
