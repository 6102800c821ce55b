import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier } from '../../../shared/core/sync/sealed.ts';
import { readAll } from '../../store/connection.ts';
import type { Connection } from '../../store/connection.ts';
import { foldedUpTo } from '../../store/foreign-journals.ts';

/** Up to where every journal is known here. */
export function haveOf({ db, journal }: Connection): Frontier {
  return { ...foldedUpTo(db), [journal.deviceId]: journal.head.journalSeq };
}

/** Journals that are put aside are not asked for again. */
export function quarantinedUpTo({ db }: Connection, heads: Frontier): Frontier {
  const aside = readAll<{ device_id: string }>(db, 'SELECT device_id FROM quarantines');
  return Object.fromEntries(aside.map(({ device_id: deviceId }) => [deviceId, knownUpTo(heads, deviceId)]));
}

/** How many entries of those on the relay are not known here. */
export function missing(have: Frontier, heads: Frontier): number {
  return Object.entries(heads).reduce((sum, [device, seq]) => sum + Math.max(0, seq - knownUpTo(have, device)), 0);
}
