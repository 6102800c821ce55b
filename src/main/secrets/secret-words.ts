import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { secretNameSchema } from '../../shared/contract/tool-calls.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { environmentVariableOf } from './environment-secrets.ts';
import { REDACTED_LENGTH } from './redact-secrets.ts';
import type { SecretCipher } from './secret-cipher.ts';
import type { SecretProtection, WithoutKeychain } from './secret-store.ts';

/** The longest value, in characters. Keys and certificates are far shorter. */
const VALUE_LIMIT = 16_384;

/** The keychain would not seal a value. Says nothing about the value. */
export class KeychainRefusal extends Error {}

/** What the window says about how values are kept. */
export function protectionOf(keychain: SecretCipher | null, withoutKeychain: WithoutKeychain): SecretProtection {
  if (keychain !== null) {
    return {
      kind: 'keychain',
      sentence: `Secrets are encrypted in a file of this profile. The key lies in ${keychain.backend}.`,
    };
  }
  const none = 'Fencepost found no keychain on this device that encrypts.';
  return withoutKeychain === 'session'
    ? {
        kind: 'session',
        sentence: `${none} Secrets are kept in memory only, and asked for again at each start.`,
      }
    : {
        kind: 'plain-file',
        sentence: `${none} As you chose, secrets are kept unencrypted in a file that only your account may read: whoever gets the file, from a backup for example, has the secrets.`,
      };
}

/** Why a secret cannot be kept; `null` if it can. The value is not quoted. */
export function valueFlaw(name: string, value: string): Problem | null {
  if (!secretNameSchema.safeParse(name).success) {
    const rule = 'A name of a secret is made of lower-case letters, digits and dashes, and begins with a letter.';
    return problem('input-invalid', `"${visibleText(name.slice(0, 80))}" is no name for a secret.`, rule);
  }
  if (value.length < REDACTED_LENGTH) {
    const why = `Anything shorter than ${REDACTED_LENGTH} characters could not be kept out of what programs answer.`;
    return problem('input-invalid', `The secret is too short. ${why}`, 'Nothing was kept. Choose a longer one.');
  }
  if (value.length > VALUE_LIMIT) {
    return problem('input-invalid', `A secret may have ${VALUE_LIMIT} characters.`, 'Nothing was kept.');
  }
  if (value.includes('\0') || !value.isWellFormed()) {
    return problem('input-invalid', 'The secret holds characters that cannot be passed on.', 'Nothing was kept.');
  }
  return null;
}

/** A secret of the environment is changed there. */
export function fromOutsideProblem(name: string): Problem {
  return problem(
    'not-offered',
    `The secret ${name} comes from the environment in which Fencepost was started.`,
    `Change the variable ${environmentVariableOf(name)} and start Fencepost again.`,
  );
}

/** Why a change was not kept for certain. */
export function unkeptProblem(cause: unknown): Problem {
  if (cause instanceof KeychainRefusal) {
    return problem(
      'not-offered',
      'The keychain did not take the secret. Nothing was kept.',
      'Unlock it and try again.',
    );
  }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ENOSPC') {
    return problem('store-full', 'The disk is full, so the secret was not kept.', 'Free some space and try again.');
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return problem(
      'folder-read-only',
      'The file of secrets cannot be written.',
      'Change the permissions of its folder.',
    );
  }
  const why = code === '' ? 'The file of secrets is damaged' : `The file of secrets failed (${code})`;
  return problem(
    'store-unsure',
    `${why}. Whether the change was kept is not certain.`,
    'Look at secrets.json in the data folder. If it is damaged, put it aside and enter the secrets again.',
  );
}
