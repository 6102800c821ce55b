import { useEffect } from 'react';

/**
 * Reads an answer again every `everyMs` while somebody can see it; `null` only when a notice says so. For what changes
 * without an entry in the journal: a renewal, a device that comes or goes, the state of a pairing.
 */
export function useRefetchEvery(query: { readonly refetch: () => void }, everyMs: number | null): void {
  const { refetch } = query;
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) refetch();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, refetch]);
}
