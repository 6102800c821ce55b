import type { Problem } from '../../../shared/contract/errors.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import type { Relay, RelayState } from '../../relays/relay.ts';
import type { KeyRing } from '../../relays/seal/key-ring.ts';
import { readJournalHead } from '../../store/foreign-journals.ts';
import { deviceBefore } from '../../store/identity.ts';
import type { Store } from '../../store/store.ts';
import { storeProblem } from './pump-problems.ts';
import { quarantine } from './take-in.ts';
import { compareStories } from './told-story.ts';

interface PastStoryOptions {
  readonly store: Store;
  readonly relay: Relay;
  readonly ring: () => KeyRing;
  readonly wallMs: () => number;
}

/** A person may have asked for a new identity after two stories were told under the old one: then that is to be seen. */
export class PastStory {
  readonly #of: PastStoryOptions;
  /** Up to where it was compared, or cannot be. The relay may come to hold more of it later. */
  #lookedUpTo = 0;

  constructor(of: PastStoryOptions) {
    this.#of = of;
  }

  /** The next look compares all of it anew. */
  forget(): void {
    this.#lookedUpTo = 0;
  }

  async check(state: RelayState): Promise<Result<null, Problem>> {
    const { store, relay, ring, wallMs } = this.#of;
    const connection = store.connection();
    if (connection === null) return err(storeProblem());
    const deviceId = deviceBefore(connection.db);
    if (deviceId === null) return ok(null);
    const seq = Math.min(knownUpTo(state.heads, deviceId), readJournalHead(connection.db, deviceId).seq);
    if (seq <= this.#lookedUpTo) return ok(null);
    const compared = await compareStories(relay, connection, { deviceId, seq, state, ring: ring() });
    if (!compared.ok) return compared;
    const reason = { kind: 'chain', problem: { kind: 'broken-link', seq } } as const;
    const nowMs = wallMs();
    const noted =
      compared.value === 'other'
        ? await store.write((within) => quarantine(within, deviceId, { reason, nowMs }))
        : ok(undefined);
    if (!noted.ok) return noted;
    this.#lookedUpTo = seq;
    return ok(null);
  }
}
