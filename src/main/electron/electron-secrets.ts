import type { SafeStorage } from 'electron';
import type { SecretCipher } from '../secrets/secret-cipher.ts';

/** What is used of Electron's `safeStorage`. The asynchronous half came after Electron 33. */
export type KeychainStorage = Pick<SafeStorage, 'isEncryptionAvailable' | 'encryptString' | 'decryptString'> &
  Partial<
    Pick<
      SafeStorage,
      'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
    >
  >;

/** Keychains of Linux that hold a key. `basic_text` is none: its key is the same in every copy of Chromium. */
const LINUX_BACKENDS: ReadonlyMap<string, string> = new Map([
  ['gnome_libsecret', 'the keyring of this desktop (Secret Service)'],
  ['kwallet', 'KWallet'],
  ['kwallet5', 'KWallet'],
  ['kwallet6', 'KWallet'],
]);

/** How Chromium on Linux marks what it sealed with a key that everybody knows. */
const KNOWN_KEY_MARK = 'v10';

/**
 * The keychain of this device; `null` where there is none that encrypts. Call it once Electron is ready. On Linux a sealed
 * value is looked at as well, because the backend named at start may turn out not to answer.
 */
export async function openKeychain(
  storage: KeychainStorage,
  platform: NodeJS.Platform = process.platform,
): Promise<SecretCipher | null> {
  const backend = backendOf(storage, platform);
  if (backend === null) return null;
  const cipher = cipherOver(storage, { backend, platform });
  try {
    const isThere = await (storage.isAsyncEncryptionAvailable?.() ?? storage.isEncryptionAvailable());
    if (!isThere) return null;
    // Only Linux is tried: elsewhere the answer above is enough, and macOS may ask a person about each use.
    if (platform === 'linux') await cipher.encrypt('fencepost');
    return cipher;
  } catch {
    return null;
  }
}

function backendOf(storage: KeychainStorage, platform: NodeJS.Platform): string | null {
  switch (platform) {
    case 'darwin':
      return 'the keychain of macOS';
    case 'win32':
      return 'your Windows account (DPAPI)';
    case 'linux':
      return LINUX_BACKENDS.get(storage.getSelectedStorageBackend?.() ?? 'unknown') ?? null;
    default:
      return null;
  }
}

function cipherOver(
  storage: KeychainStorage,
  { backend, platform }: { readonly backend: string; readonly platform: NodeJS.Platform },
): SecretCipher {
  return {
    backend,
    async encrypt(value) {
      const sealed = await (storage.encryptStringAsync?.(value) ?? storage.encryptString(value));
      if (platform === 'linux' && sealed.subarray(0, KNOWN_KEY_MARK.length).toString('latin1') === KNOWN_KEY_MARK) {
        throw new Error('The keychain would only pretend to encrypt.');
      }
      return sealed;
    },
    async decrypt(sealed) {
      if (storage.decryptStringAsync === undefined) return { value: storage.decryptString(sealed), isStale: false };
      const { result, shouldReEncrypt } = await storage.decryptStringAsync(sealed);
      return { value: result, isStale: shouldReEncrypt };
    },
  };
}
