import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { composeSignIns } from './compose-sign-ins.ts';
import { createSecrets } from './secrets/create-secrets.ts';
import { useTemporaryFolders } from './store/testing/temporary-folder.ts';
import { followPage, startSignInServer } from './tools/testing/sign-in-server.ts';
import type { SignInServer } from './tools/testing/sign-in-server.ts';

const newFolder = useTemporaryFolders();
let server: SignInServer;
beforeEach(async () => {
  server = await startSignInServer();
});
afterEach(() => server.close());

it('tokens stand in the open although nobody chose that, go with a restart although somebody did, or have a name for agents', async () => {
  const folder = newFolder();
  const file = path.join(folder, 'sign-ins.json');
  const start = async (withoutKeychain: 'session' | 'plain-file') => {
    const from = { file: path.join(folder, 'secrets.json'), keychain: null, fromEnvironment: new Map() };
    return await composeSignIns(folder, createSecrets({ ...from, withoutKeychain }), {});
  };
  const { signIns, secrets } = await start('session');
  const begun = await signIns.begin(server.address);
  expect(begun.ok && (await followPage(begun.value.page.href)).text).toContain('Signed in');
  expect(existsSync(file)).toBe(false);
  expect((await secrets.choose('plain-file')).ok).toBe(true);
  const [token = ''] = server.given;
  expect(
    Buffer.from(readFileSync(file, 'utf8').match(/"value": "([^"]+)"/u)?.[1] ?? '', 'base64').toString(),
  ).toContain(token);
  const again = await start('plain-file');
  expect(await again.signIns.facts(server.address)).toMatchObject({ standing: 'signed-in' });
  expect(await again.secrets.names()).toEqual([]);
  expect((await again.secrets.choose('session')).ok).toBe(true);
  expect(readFileSync(file, 'utf8')).not.toContain('"value"');
});
