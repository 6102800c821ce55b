import { describe, expect, test } from 'vitest';
import { openKeychain } from './electron-secrets.ts';
import type { KeychainStorage } from './electron-secrets.ts';

/** Electron 33 on Linux as it behaves: it "encrypts" under every backend, and marks what it did. */
function storage(backend: string, mark: string, more: Partial<KeychainStorage> = {}): KeychainStorage {
  return {
    isEncryptionAvailable: () => true,
    encryptString: (value) => Buffer.from(`${mark}${value.split('').toReversed().join('')}`),
    decryptString: (sealed) => sealed.toString().slice(3).split('').toReversed().join(''),
    getSelectedStorageBackend: () => backend as ReturnType<NonNullable<KeychainStorage['getSelectedStorageBackend']>>,
    ...more,
  };
}

describe('what does not encrypt is called a keychain', () => {
  test.each([
    ['basic_text', 'v10'],
    ['basic_text', 'v11'],
    ['unknown', 'v11'],
    ['some_new_one', 'v11'],
    // The backend was named at start, but nobody answers there, and the known key is taken instead.
    ['gnome_libsecret', 'v10'],
  ])('on Linux with %s and values marked %s', async (backend, mark) => {
    expect(await openKeychain(storage(backend, mark), 'linux')).toBeNull();
  });

  test('when it says itself that it is not there, or breaks', async () => {
    expect(await openKeychain(storage('kwallet6', 'v11', { isEncryptionAvailable: () => false }), 'linux')).toBeNull();
    const broken = { isAsyncEncryptionAvailable: () => Promise.reject(new Error('no bus')) };
    expect(await openKeychain(storage('kwallet6', 'v11', broken), 'linux')).toBeNull();
    expect(await openKeychain(storage('kwallet6', 'v11'), 'freebsd')).toBeNull();
  });

  test('after it stopped to encrypt while the host ran', async () => {
    let mark = 'v11';
    const changing = storage('gnome_libsecret', '', { encryptString: (value) => Buffer.from(mark + value) });
    const cipher = await openKeychain(changing, 'linux');
    mark = 'v10';
    await expect(cipher?.encrypt('token')).rejects.toThrow('pretend');
  });
});

describe('a keychain is turned down', () => {
  test.each([
    ['linux', 'v11'],
    ['darwin', 'v10'],
    ['win32', 'v10'],
  ] as const)('on %s, where values are marked %s', async (platform, mark) => {
    const cipher = await openKeychain(storage('gnome_libsecret', mark), platform);
    const sealed = await cipher?.encrypt('token');
    expect(sealed?.toString()).not.toContain('token');
    expect(await cipher?.decrypt(sealed ?? Buffer.alloc(0))).toEqual({ value: 'token', isStale: false });
  });
});

test('a changed key goes unnoticed where Electron speaks asynchronously', async () => {
  const later = storage('gnome_libsecret', 'v11', {
    isAsyncEncryptionAvailable: () => Promise.resolve(true),
    encryptStringAsync: (value) => Promise.resolve(Buffer.from(`v11${value}`)),
    decryptStringAsync: (sealed) => Promise.resolve({ result: sealed.toString().slice(3), shouldReEncrypt: true }),
    encryptString: () => {
      throw new Error('deprecated');
    },
  });
  const cipher = await openKeychain(later, 'linux');
  expect(await cipher?.decrypt(Buffer.from('v11token'))).toEqual({ value: 'token', isStale: true });
});
