import { useMemo } from 'react';
import { useNow } from './use-now.ts';

/** What is left of a span that was `remainingMs` long when `seen` arrived; counts down once a second, never below 0. */
export function useLeft(remainingMs: number, seen: unknown): number {
  // A span counted from its arrival needs no agreement between two wall clocks.
  // oxlint-disable-next-line react/exhaustive-deps
  const endsAtMs = useMemo(() => Date.now() + remainingMs, [remainingMs, seen]);
  return Math.max(0, endsAtMs - useNow(1_000));
}
