/** How many are remembered. */
const RECENT_MAX = 8;
const KEY = 'fencepost.recent';

/** What was opened from the palette lately, the newest first. Names of items, never what they say. */
export function recentIds(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept)
      ? kept.filter((each): each is string => typeof each === 'string').slice(0, RECENT_MAX)
      : [];
  } catch {
    // A page without storage, or what an older version kept: nothing is remembered.
    return [];
  }
}

/** Remembers that an item was opened. */
export function rememberRecent(id: string): void {
  try {
    const ids = [id, ...recentIds().filter((each) => each !== id)].slice(0, RECENT_MAX);
    localStorage.setItem(KEY, JSON.stringify(ids));
  } catch {
    // The same.
  }
}
