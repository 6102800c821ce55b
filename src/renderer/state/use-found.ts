import { useEffect, useState } from 'react';
import type { SearchView } from '../../shared/contract/search-views.ts';
import { searchWords } from '../../shared/lib/search-text.ts';
import { useQueries } from './use-queries.ts';

/** So long nothing more is typed before the record is searched, ms: shorter than the pause between two keys. */
const TYPING_MS = 90;
/** The longest search that the host takes. */
export const QUERY_MAX_LENGTH = 200;

/** What a search has come to. */
export interface Found {
  /** The last answer; while a newer one is on its way the one before it. `null` before the first, and for no words. */
  readonly view: SearchView | null;
  /** The answer is the one to what stands in the field now. */
  readonly isCurrent: boolean;
}

/** The first hits of each kind for what is being typed. */
export function useFound(query: string, limit: number): Found {
  const typed = query.trim().slice(0, QUERY_MAX_LENGTH);
  const settled = useSettled(typed);
  const isAsked = searchWords(settled).length > 0;
  const [view = null] = useQueries('search.list', isAsked ? [{ query: settled, limit }] : []);
  const [last, setLast] = useState<SearchView | null>(null);
  if (view !== null && view !== last) setLast(view);
  return { view: isAsked ? (view ?? last) : null, isCurrent: typed === settled && (view !== null || !isAsked) };
}

/** A text once it has stood still for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
