import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSecrets } from './create-secrets.ts';
import type { SecretsOptions } from './create-secrets.ts';
import { takeEnvironmentSecrets } from './environment-secrets.ts';
import type { SecretCipher } from './secret-cipher.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fencepost-secrets-'));
  file = path.join(folder, 'secrets.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let isStale = false;
const keychain: SecretCipher = {
  backend: 'a test',
  encrypt: (value) =>
    Promise.resolve(Buffer.from(Buffer.from(`${isStale ? 'old' : 'new'}${value}`).map((byte) => byte ^ 0x5a))),
  decrypt: (sealed) => {
    const opened = Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString();
    return Promise.resolve({ value: opened.slice(3), isStale: opened.startsWith('old') });
  },
};
const locked: SecretCipher = {
  backend: 'a test',
  encrypt: (value) => Promise.reject(new Error(`locked: ${value}`)),
  decrypt: () => Promise.reject(new Error('locked')),
};

function open(more: Partial<SecretsOptions> = {}) {
  return createSecrets({ file, keychain, withoutKeychain: 'session', fromEnvironment: new Map(), ...more });
}

function onDisk(): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Whether a value can be found on disk without a key. */
function standsOpen(value: string): boolean {
  return onDisk().includes(value) || onDisk().includes(Buffer.from(value).toString('base64'));
}

describe('a secret is lost', () => {
  test('by the next start', async () => {
    expect(await open().write('api-key', 'token-1')).toEqual({ ok: true, value: null });
    await open().write('other', 'token-2');
    expect(await open().read('api-key')).toBe('token-1');
    expect(await open().names()).toEqual(['api-key', 'other']);
    await open().remove('api-key');
    expect(await open().read('api-key')).toBeNull();
    expect(await open().read('other')).toBe('token-2');
  });

  test('because two are written at once', async () => {
    const store = open();
    await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => await store.write(name, `token-${name}`)));
    expect(await store.names()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('by a crash before the new file got its name', async () => {
    await open().write('api-key', 'token-1');
    const source = `
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      fs.rename = () => process.kill(process.pid, 'SIGKILL');
      syncBuiltinESMExports();
      const { writeSecretFile } = await import(${JSON.stringify(path.join(import.meta.dirname, 'secret-file.ts'))});
      await writeSecretFile(${JSON.stringify(file)}, new Map());
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'inherit' });
    const signal = await new Promise((resolve) => child.on('exit', (_, by) => resolve(by)));
    expect(signal).toBe('SIGKILL');
    expect(existsSync(`${file}.new`)).toBe(true);
    expect(await open().read('api-key')).toBe('token-1');
    expect((await open().write('next', 'token-2')).ok).toBe(true);
    expect(await open().names()).toEqual(['api-key', 'next']);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  test('because a damaged file counts as an empty one', async () => {
    for (const damage of ['', '{"version":1,"secr', '{"version":2,"secrets":{}}', 'null']) {
      writeFileSync(file, damage);
      await expect(open().read('api-key')).rejects.toThrow('damaged');
      expect((await open().write('api-key', 'token-1')).ok).toBe(false);
      expect(onDisk()).toBe(damage);
    }
  });

  test('because the keychain changed its key', async () => {
    isStale = true;
    await open().write('api-key', 'token-1');
    isStale = false;
    const before = onDisk();
    expect(await open().read('api-key')).toBe('token-1');
    expect(onDisk()).not.toBe(before);
    expect(await open().read('api-key')).toBe('token-1');
  });
});

describe('a value stands in the open', () => {
  test('in the file, beside a keychain', async () => {
    await open().write('api-key', 'token-1');
    expect(standsOpen('token-1')).toBe(false);
    expect(open().protection().kind).toBe('keychain');
  });

  test('because the keychain is locked', async () => {
    const answer = await open({ keychain: locked }).write('api-key', 'token-1');
    expect(answer.ok).toBe(false);
    expect(JSON.stringify(answer)).not.toContain('token-1');
    expect(onDisk()).toBe('');
  });

  // ente/ente#7942, gitify-app/gitify#1981, tutao/tutanota#9653
  test('because there is no keychain, and nobody chose that', async () => {
    const store = open({ keychain: null });
    expect((await store.write('api-key', 'token-1')).ok).toBe(true);
    expect(await store.read('api-key')).toBe('token-1');
    expect(existsSync(file)).toBe(false);
    expect(await open({ keychain: null }).read('api-key')).toBeNull();
    expect(store.protection()).toMatchObject({ kind: 'session', sentence: expect.stringContaining('at each start') });
  });

  test('after a person went back to memory', async () => {
    const store = open({ keychain: null });
    await store.write('api-key', 'token-1');
    await store.choose('plain-file');
    expect(store.protection()).toMatchObject({ kind: 'plain-file', sentence: expect.stringContaining('unencrypted') });
    expect(standsOpen('token-1')).toBe(true);
    expect(await open({ keychain: null, withoutKeychain: 'plain-file' }).read('api-key')).toBe('token-1');
    await expect(open({ keychain: null }).read('api-key')).rejects.toThrow('nobody chose');
    await store.choose('session');
    expect(standsOpen('token-1')).toBe(false);
    expect(await store.read('api-key')).toBe('token-1');
  });

  test('after a keychain came', async () => {
    await open({ keychain: null, withoutKeychain: 'plain-file' }).write('api-key', 'token-1');
    const store = open();
    expect(await store.read('api-key')).toBe('token-1');
    await store.write('other', 'token-2');
    expect(standsOpen('token-1')).toBe(false);
    expect(await store.read('api-key')).toBe('token-1');
  });

  test.skipIf(process.platform === 'win32')('for other accounts of this machine, or where a link leads', async () => {
    const elsewhere = path.join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'mine');
    symlinkSync(elsewhere, `${file}.new`);
    await open().write('api-key', 'token-1');
    expect(readFileSync(elsewhere, 'utf8')).toBe('mine');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    await open().write('api-key', 'token-2');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('a secret that cannot be used is kept', () => {
  test.each([
    ['api-key', 'abc'],
    ['api-key', 'a\0bcd'],
    ['api-key', 'x'.repeat(20_000)],
    ['api-key', 'abc\uD800'],
    ['Api', 'token-1'],
    ['__proto__', 'token-1'],
  ])('as %j with such a value', async (name, value) => {
    expect((await open().write(name, value)).ok).toBe(false);
    expect(await open().names()).toEqual([]);
  });

  test('or a name that every object has is found', async () => {
    await open().write('constructor', 'token-1');
    expect(await open().read('constructor')).toBe('token-1');
    expect(await open().read('valueof')).toBeNull();
  });
});

describe('secrets of the environment', () => {
  test('stay where child processes inherit them', async () => {
    const environment = {
      FENCEPOST_SECRET_API_KEY: 'token-1',
      FENCEPOST_SECRET_: 'x',
      FENCEPOST_SECRET_EMPTY: '',
      FENCEPOST_SECRET_Ä: 'y',
      FENCEPOST_PROFILE: '/p',
    };
    const taken = takeEnvironmentSecrets(environment);
    expect([...taken]).toEqual([['api-key', 'token-1']]);
    expect(environment).toEqual({ FENCEPOST_PROFILE: '/p' });
    process.env['FENCEPOST_SECRET_TEST'] = 'token-3';
    expect(takeEnvironmentSecrets(process.env).get('test')).toBe('token-3');
    expect(Object.keys(process.env).filter((name) => name.includes('SECRET'))).toEqual([]);
  });

  test('are shadowed by older ones, or changed for one session without a word', async () => {
    await open().write('api-key', 'token-old');
    const store = open({ fromEnvironment: new Map([['api-key', 'token-new']]) });
    expect(await store.read('api-key')).toBe('token-new');
    for (const answer of [await store.write('api-key', 'token-3'), await store.remove('api-key')]) {
      expect(answer).toMatchObject({
        ok: false,
        error: { wayOut: expect.stringContaining('FENCEPOST_SECRET_API_KEY') },
      });
    }
    expect(await open().read('api-key')).toBe('token-old');
  });
});
