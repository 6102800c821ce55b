import type { Problem } from '../shared/contract/errors.ts';
import { assertNever } from '../shared/lib/assert-never.ts';
import { ok } from '../shared/lib/result.ts';
import type { Result } from '../shared/lib/result.ts';
import type { EventLog } from './bridge/event-log.ts';
import { beginAnew } from './host/sync/begin-anew.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import type { NewIdentityReason } from './store/identity.ts';
import type { Store } from './store/store.ts';

/**
 * Writes down who this profile is where that is news, and forgets the keys of the device it was before. Before anything is
 * signed or asked of a register. Errors are those of the store of secrets: nothing may sign with a key that a copy has too.
 */
export async function beginIdentity(store: Store, keys: SecretStore, log: EventLog): Promise<Result<null, Problem>> {
  const { renewed, isMachineKnown } = store.identity();
  if (!isMachineKnown) {
    const message =
      'This machine does not say which one it is. If the data folder is copied to another one, that is not noticed.';
    log.write({ event: 'machine-unknown', message });
  }
  if (renewed !== null) {
    const message = `${whyRenewed(renewed.reason)} It goes on as another device, so that nothing is told twice under one name.`;
    log.write({ event: 'identity-renewed', reason: renewed.reason, by: renewed.by, message });
  }
  const begun = await beginAnew(store, keys);
  return begun.ok ? ok(null) : begun;
}

function whyRenewed(reason: NewIdentityReason): string {
  switch (reason) {
    case 'restored':
      return 'A backup was put back here.';
    case 'copied':
      return 'This data folder was last used on another machine.';
    case 'asked':
      return 'A person gave this device a new identity.';
    default:
      return assertNever(reason);
  }
}
