import { useEffect } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { RequestOf, ResponseOf, Route } from '../../shared/contract/api.ts';
import { entryKey, useHost, valueOf, watchEntry } from './host-store.ts';

/** Several requests of one route at once, for example the pages of a list that are on the screen. */
export function useQueries<R extends Route>(
  route: R,
  requests: readonly RequestOf<R>[],
): readonly (ResponseOf<R> | null)[] {
  const keys = requests.map((request) => entryKey(route, request));
  const entries = useHost(useShallow((state) => keys.map((key) => state.entries[key])));
  // A key is one line, so that all of them together are one text that effects can compare.
  const allKeys = keys.join('\n');
  useEffect(() => {
    const ends = allKeys === '' ? [] : allKeys.split('\n').map((key) => watchEntry(route, key));
    return () => {
      for (const end of ends) end();
    };
  }, [route, allKeys]);
  return entries.map((entry) => valueOf<R>(entry));
}
