import type { LeaseView } from '../../shared/contract/lease-views.ts';
import { useQuery } from './use-query.ts';
import type { Query } from './use-query.ts';
import { useRefetchEvery } from './use-refetch-every.ts';

const SHORTEST_MS = 1_000;
const SOON_MS = 5_000;
const LONGEST_MS = 30_000;

/**
 * Who has the right to act. A renewal is no entry of the journal, and what another device does reaches this one's journal
 * late or never, so no notice tells of it: a held right is read again three times in the time for which it is confirmed.
 * Otherwise the countdown would end though the right did not. With a device only those that it has.
 */
export function useLeases(deviceId: string | null = null): Query<'leases.list'> {
  const query = useQuery('leases.list', deviceId === null ? {} : { deviceId });
  useRefetchEvery(query, readEveryMs(query.value));
  return query;
}

/** How often the rights are read again; `null` when there are none. */
export function readEveryMs(
  view: { readonly leases: readonly LeaseView[]; readonly total: number } | null,
): number | null {
  if (view === null || view.total === 0) return null;
  // Of a device that has none: it may get one.
  if (view.leases.length === 0) return SOON_MS;
  return Math.min(...view.leases.map(everyMsOf));
}

function everyMsOf(lease: LeaseView): number {
  switch (lease.state) {
    case 'held':
      return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.floor(lease.ttlMs / 3)));
    case 'hold-off':
    case 'doubtful':
      return SHORTEST_MS;
    case 'expired':
    case 'unreachable':
    case 'waits-for-person':
      return SOON_MS;
    case 'free':
    case 'moved':
    case 'went-back':
      return LONGEST_MS;
    default:
      return lease.state satisfies never;
  }
}
