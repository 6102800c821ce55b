import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { ChoosableSecrets } from './create-secrets.ts';

/** A store that holds nothing and takes nothing, for hosts that are given none. */
export const NO_SECRETS: ChoosableSecrets = {
  read: () => Promise.resolve(null),
  names: () => Promise.resolve([]),
  write: refuse,
  remove: () => Promise.resolve(ok(null)),
  choose: refuse,
  isFromEnvironment: () => false,
  protection: () => ({ kind: 'session', sentence: 'This device keeps no secrets.' }),
};

function refuse(): Promise<Result<null, Problem>> {
  const wayOut = 'Nothing was kept and nothing was sent.';
  return Promise.resolve(err(problem('not-offered', 'This device keeps no secrets.', wayOut)));
}
