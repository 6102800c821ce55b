import { useEffect } from 'react';
import type { LeasesView } from '../../shared/contract/views.ts';
import { useQuery } from './use-query.ts';
import type { Query } from './use-query.ts';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * Who has the right to act. A renewal is no entry of the journal, so no notice tells of it: while a right is held, it is
 * read again three times in the time for which it is confirmed. Otherwise the countdown would end though the right did not.
 */
export function useLeases(): Query<'leases.list'> {
  const query = useQuery('leases.list', {});
  const { refetch } = query;
  const everyMs = readEveryMs(query.value);
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) refetch();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, refetch]);
  return query;
}

/** How often held rights are read again; `null` when none is held. */
export function readEveryMs(view: LeasesView | null): number | null {
  const held = view?.leases.filter((lease) => lease.state === 'held') ?? [];
  if (held.length === 0) return null;
  const shortest = Math.min(...held.map((lease) => lease.ttlMs));
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.floor(shortest / 3)));
}
