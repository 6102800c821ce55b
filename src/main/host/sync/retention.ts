import type { Retention } from '../../../shared/contract/record-views.ts';
import { RETENTION_MS } from '../../../shared/core/sync/condensing.ts';
import { readProfile } from '../../store/profile-values.ts';
import type { Store } from '../../store/store.ts';
import { CONDENSING_TERMS } from './condensing.ts';
import type { CondensingTerms } from './condensing.ts';

/** The name of the setting that keeps it. */
export const RETENTION_SETTING = 'retention';
const DAY_MS = 24 * 3_600_000;

const LENGTHS_MS: Readonly<Record<Retention, number>> = {
  '30-days': 30 * DAY_MS,
  '90-days': RETENTION_MS,
  '365-days': 365 * DAY_MS,
  'for-ever': Number.MAX_SAFE_INTEGER,
};

/** What a profile keeps about it. A word of another version keeps everything: what is dropped does not come back. */
export function readRetention(kept: string | null): Retention {
  if (kept === null) return '90-days';
  return Object.hasOwn(LENGTHS_MS, kept) ? (kept as Retention) : 'for-ever';
}

/** The terms of a host, with the length that a person chose: read anew for every look, so that a choice holds at once. */
export function chosenTerms(store: Pick<Store, 'connection'>): CondensingTerms {
  return {
    ...CONDENSING_TERMS,
    get retentionMs() {
      const connection = store.connection();
      // Nothing is dropped while nobody knows what is on the disk.
      if (connection === null) return LENGTHS_MS['for-ever'];
      return LENGTHS_MS[readRetention(readProfile(connection.db, `setting:${RETENTION_SETTING}`))];
    },
  };
}
