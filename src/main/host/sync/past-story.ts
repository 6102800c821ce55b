import type { Problem } from '../../../shared/contract/errors.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import { deviceBefore } from '../../store/identity.ts';
import type { Store } from '../../store/store.ts';
import { isAnotherStory } from './own-head.ts';
import { storeProblem } from './pump-problems.ts';
import { quarantine } from './take-in.ts';

/** A person may have asked for a new identity after two stories were told under the old one: then that is to be seen. */
export async function checkPast(
  of: { readonly store: Store; readonly relay: Relay; readonly ring: KeyRing; readonly wallMs: () => number },
  heads: Frontier,
): Promise<Result<null, Problem>> {
  const { store, relay, ring, wallMs } = of;
  const connection = store.connection();
  if (connection === null) return err(storeProblem());
  const deviceId = deviceBefore(connection.db);
  if (deviceId === null) return ok(null);
  const seq = Math.min(knownUpTo(heads, deviceId), readJournalHead(connection.db, deviceId).seq);
  const isOther = await isAnotherStory(relay, connection, { deviceId, seq, heads, ring });
  if (!isOther.ok) return isOther;
  const reason = { kind: 'chain', problem: { kind: 'broken-link', seq } } as const;
  const nowMs = wallMs();
  const noted = isOther.value
    ? await store.write((within) => quarantine(within, deviceId, { reason, nowMs }))
    : ok(undefined);
  return noted.ok ? ok(null) : noted;
}
