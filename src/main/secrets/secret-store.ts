import type { Problem } from '../../shared/contract/errors.ts';
import type { Result } from '../../shared/lib/result.ts';

/** How well values are kept, and what that means in a sentence for the window. */
export interface SecretProtection {
  /** `session`: in memory only, asked for again at each start. */
  readonly kind: 'keychain' | 'plain-file' | 'session';
  readonly sentence: string;
}

/** Where values go on a device that has no keychain; a person chooses, and `session` is meant until somebody did. */
export type WithoutKeychain = 'session' | 'plain-file';

/**
 * Secrets by name, kept outside the record: their values stand in no event, log, export or window, and in the environment of
 * no program that did not ask for them. Names are shown and are no secret.
 */
export interface SecretStore {
  /** The value; `null` if there is no secret of that name. Rejects only where the store itself cannot be read. */
  read(name: string): Promise<string | null>;
  /** All names, sorted. Rejects like `read`. */
  names(): Promise<readonly string[]>;
  /** Keeps a value, instead of the one before it. A refusal has changed nothing. */
  write(name: string, value: string): Promise<Result<null, Problem>>;
  /** Forgets a secret. One that is not there is forgotten already. */
  remove(name: string): Promise<Result<null, Problem>>;
  protection(): SecretProtection;
}
