import { join } from 'node:path';
import type { SecretSources } from './compose-secrets.ts';
import { createSecrets } from './secrets/create-secrets.ts';
import type { ChoosableSecrets } from './secrets/create-secrets.ts';
import { SignIns } from './tools/mcp/sign-in/sign-ins.ts';

/**
 * The sign-ins at tool servers of a profile. Their tokens are kept as well as its secrets are, and apart from them: agents can
 * name secrets. What a person chooses for a device without a keychain holds for both, so the secrets come back with that.
 */
export async function composeSignIns(
  profileFolder: string,
  secrets: ChoosableSecrets,
  sources: SecretSources,
): Promise<{ readonly signIns: SignIns; readonly secrets: ChoosableSecrets }> {
  const store = createSecrets({
    file: join(profileFolder, 'sign-ins.json'),
    keychain: (await sources.openKeychain?.()) ?? null,
    withoutKeychain: secrets.protection().kind === 'plain-file' ? 'plain-file' : 'session',
    fromEnvironment: new Map(),
  });
  const both: ChoosableSecrets = {
    read: (name) => secrets.read(name),
    names: () => secrets.names(),
    write: (name, value) => secrets.write(name, value),
    remove: (name) => secrets.remove(name),
    protection: () => secrets.protection(),
    isFromEnvironment: (name) => secrets.isFromEnvironment(name),
    async choose(next) {
      const chosen = await secrets.choose(next);
      return chosen.ok ? await store.choose(next) : chosen;
    },
  };
  return { signIns: new SignIns({ store }), secrets: both };
}
