import { join } from 'node:path';
import { createSecrets } from './secrets/create-secrets.ts';
import type { ChoosableSecrets } from './secrets/create-secrets.ts';
import type { SecretCipher } from './secrets/secret-cipher.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { readProfile, writeProfile } from './store/profile-values.ts';
import type { Store } from './store/store.ts';

/** What a person chose for a device without a keychain: `plain-file`, or anything else for *ask at each start*. */
const WITHOUT_KEYCHAIN_SETTING = 'secrets-without-keychain';
const SETTING_KEY = `setting:${WITHOUT_KEYCHAIN_SETTING}`;

/** Where the secrets of a profile can come from besides its own file. */
export interface SecretSources {
  /** Opens the keychain of the device; `null` where there is none, or none that encrypts. */
  readonly openKeychain?: () => Promise<SecretCipher | null>;
  /** What came with the environment, taken out of it before anything could inherit it. */
  readonly fromEnvironment?: ReadonlyMap<string, string>;
}

/**
 * Keys and passwords of the device itself: those of its hub, its coordinator, its pairing. Kept apart from the secrets that
 * agents may be permitted to use, so that no tool can ever name one. A device without a keychain keeps them in a file that
 * only its own user can read, as other programs keep theirs: asked at each start, a server could not start alone.
 */
export async function composeDeviceKeys(profileFolder: string, sources: SecretSources): Promise<SecretStore> {
  return createSecrets({
    file: join(profileFolder, 'device-keys.json'),
    keychain: (await sources.openKeychain?.()) ?? null,
    withoutKeychain: 'plain-file',
    fromEnvironment: new Map(),
  });
}

/** Puts the secrets of a profile together. What is chosen for a device without a keychain holds for later starts too. */
export async function composeSecrets(
  profileFolder: string,
  store: Store,
  sources: SecretSources,
): Promise<ChoosableSecrets> {
  const secrets = createSecrets({
    file: join(profileFolder, 'secrets.json'),
    keychain: (await sources.openKeychain?.()) ?? null,
    withoutKeychain: readChoice(store) === 'plain-file' ? 'plain-file' : 'session',
    fromEnvironment: sources.fromEnvironment ?? new Map(),
  });
  return {
    read: (name) => secrets.read(name),
    names: () => secrets.names(),
    write: (name, value) => secrets.write(name, value),
    remove: (name) => secrets.remove(name),
    protection: () => secrets.protection(),
    isFromEnvironment: (name) => secrets.isFromEnvironment(name),
    async choose(next) {
      const before = readChoice(store);
      // Written first: a value may never stand in the open without somebody having chosen that.
      const written = await writeChoice(store, next);
      if (!written.ok) return written;
      const chosen = await secrets.choose(next);
      if (!chosen.ok) await writeChoice(store, before ?? 'session');
      return chosen;
    },
  };
}

function readChoice(store: Store): string | null {
  const db = store.connection()?.db;
  if (db === undefined) return null;
  return readProfile(db, SETTING_KEY);
}

function writeChoice(store: Store, choice: string) {
  return store.write(({ db }) => {
    writeProfile(db, SETTING_KEY, choice);
    return null;
  });
}
