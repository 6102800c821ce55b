import { useCallback, useEffect } from 'react';
import type { RequestOf, ResponseOf, Route } from '../../shared/contract/api.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { entryKey, fetchEntry, useHost, valueOf, watchEntry } from './host-store.ts';

export interface Query<R extends Route> {
  /** The last good answer; `null` before the first. Kept while a newer one is on its way. */
  readonly value: ResponseOf<R> | null;
  readonly problem: Problem | null;
  readonly isLoading: boolean;
  readonly refetch: () => void;
}

/** The answer to a request, read again whenever a notice concerns it. Several callers share one answer. */
export function useQuery<R extends Route>(route: R, request: RequestOf<R>): Query<R> {
  const key = entryKey(route, request);
  const entry = useHost((state) => state.entries[key]);
  useEffect(() => watchEntry(route, key), [route, key]);
  const refetch = useCallback(() => {
    void fetchEntry(route, key);
  }, [route, key]);
  return { value: valueOf<R>(entry), problem: entry?.problem ?? null, isLoading: entry?.isLoading ?? true, refetch };
}
