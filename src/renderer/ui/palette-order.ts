import { fuzzyMatch } from '../../shared/lib/fuzzy-match.ts';
import type { FuzzyMatch } from '../../shared/lib/fuzzy-match.ts';
import { searchWords } from '../../shared/lib/search-text.ts';
import type { TextRange } from '../../shared/lib/search-text.ts';
import type { RunStatus } from '../../shared/core/run/run-state.ts';
import type { IconName } from './icon-shapes.tsx';

export interface PaletteItem {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly icon: IconName | { readonly status: RunStatus };
  /** Shown at the far side: a shortcut or a second name. */
  readonly note?: string;
  readonly keywords?: readonly string[];
  /** It needs a person: what belongs to it (its agent, its run) leads to it as well as its own name does. */
  readonly needsPerson?: boolean;
  /** Already found by the host: what is marked. Such an item is not judged again. */
  readonly ranges?: readonly TextRange[];
  /** Under which name it is remembered as opened; `null` if it is not. Its id unless said otherwise. */
  readonly recentId?: string | null;
  /** Opens the place. Nothing is sent, permitted or decided by it. */
  readonly run: () => void;
}

/** An item as it is shown. */
export interface RankedItem {
  readonly item: PaletteItem;
  readonly ranges: readonly TextRange[];
}

export interface RankedGroup {
  readonly name: string;
  readonly items: readonly RankedItem[];
}

/** How many of a group are shown before anything is typed, and after. */
const SHOWN_AT_REST = 8;
const SHOWN_FOUND = 12;

/**
 * What the palette shows for what was typed. At rest: what was opened lately, then every group in its own order. Afterwards
 * only what fits, the best first, and the group with the best fit on top; what the host found comes last, in its own order.
 */
export function rankItems(
  items: readonly PaletteItem[],
  typed: string,
  recent: { readonly ids: readonly string[]; readonly name: string },
): readonly RankedGroup[] {
  const words = searchWords(typed);
  if (words.length === 0) return atRest(items, recent);
  const ranked = items.map((item) => {
    if (item.ranges !== undefined) return { item, ranges: item.ranges, score: 0 };
    const match = matchItem(words, item);
    return match === null ? null : { item, ...match, score: match.score + amongEquals(item, recent.ids) };
  });
  const fitting = ranked.filter((each) => each !== null).toSorted((one, other) => other.score - one.score);
  return grouped(fitting, SHOWN_FOUND);
}

/** What needs a person may be known by the name of its agent or run only, and counts as much by it. */
function matchItem(words: readonly string[], item: PaletteItem): FuzzyMatch | null {
  const { label, keywords = [], needsPerson = false } = item;
  const own = fuzzyMatch(words, label, keywords);
  if (own === null || !needsPerson) return own;
  const others = keywords.map((name) => fuzzyMatch(words, name, [label, ...keywords])?.score ?? 0);
  return { score: Math.max(own.score, ...others), ranges: own.ranges };
}

/** Among equals: first what needs a person, then what was opened lately. */
function amongEquals(item: PaletteItem, recent: readonly string[]): number {
  return (item.needsPerson === true ? 6 : 0) + (recent.includes(item.id) ? 5 : 0);
}

function atRest(
  items: readonly PaletteItem[],
  recent: { readonly ids: readonly string[]; readonly name: string },
): readonly RankedGroup[] {
  const shown = items.filter((item) => item.ranges === undefined);
  const lately = recent.ids
    .flatMap((id) => shown.filter((item) => item.id === id))
    .map((item) => ({ item: { ...item, group: recent.name }, ranges: [] }));
  const known = new Set(lately.map(({ item }) => item.id));
  const rest = shown.filter((item) => !known.has(item.id)).map((item) => ({ item, ranges: [] }));
  return [...grouped(lately, SHOWN_AT_REST), ...grouped(rest, SHOWN_AT_REST)];
}

function grouped(ranked: readonly RankedItem[], limit: number): readonly RankedGroup[] {
  const names = [...new Set(ranked.map(({ item }) => item.group))];
  return names.map((name) => ({ name, items: ranked.filter(({ item }) => item.group === name).slice(0, limit) }));
}
