import { findWords } from './search-text.ts';
import type { TextRange } from './search-text.ts';

/** How well a name fits what was typed. The higher the better; only to be compared. */
export interface FuzzyMatch {
  readonly score: number;
  /** What to mark in the name; empty if one of the other names was what fitted. */
  readonly ranges: readonly TextRange[];
}

/** A word at the beginning of the name, of one of its words, anywhere, and its letters in order with others between. */
const SCORES = { whole: 100, start: 80, wordStart: 60, inside: 30, letters: 10 } as const;
/** A fit by another name, such as the agent of a run, never outdoes one by the name itself. */
const OTHER_NAME_SHARE = 0.5;

/**
 * Fits what was typed to a name, word by word: every word has to be somewhere in the name or in one of the other names.
 * `null` if one is not. Nothing typed fits everything.
 */
export function fuzzyMatch(
  words: readonly string[],
  name: string,
  otherNames: readonly string[] = [],
): FuzzyMatch | null {
  let score = 0;
  const ranges: TextRange[] = [];
  for (const word of words) {
    const own = matchWord(word, name);
    const other = Math.max(0, ...otherNames.map((each) => (matchWord(word, each)?.score ?? 0) * OTHER_NAME_SHARE));
    if (own === null && other === 0) return null;
    score += Math.max(own?.score ?? 0, other);
    if (own !== null) ranges.push(...own.ranges);
  }
  return { score, ranges };
}

function matchWord(word: string, name: string): FuzzyMatch | null {
  const ranges = findWords(name, [word]);
  const first = ranges?.[0];
  if (ranges !== null && first !== undefined) {
    const isStart = first.from === 0;
    if (isStart && first.to === name.length) return { score: SCORES.whole, ranges };
    const atWord = ranges.some((range) => range.from === 0 || /[^\p{L}\p{N}]/u.test(name[range.from - 1] ?? ' '));
    return { score: isStart ? SCORES.start : atWord ? SCORES.wordStart : SCORES.inside, ranges };
  }
  const letters = matchLetters(word, name);
  return letters === null ? null : { score: SCORES.letters, ranges: letters };
}

/** The letters of a word in their order, the first of them at the beginning of a word of the name. */
function matchLetters(word: string, name: string): readonly TextRange[] | null {
  for (const start of name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)) {
    const found: TextRange[] = [];
    let from = start.index;
    for (const letter of word) {
      const next = findWords(name.slice(from), [letter])?.[0];
      if (next === undefined || (found.length === 0 && next.from > 0)) break;
      found.push({ from: from + next.from, to: from + next.to });
      from += next.to;
    }
    // One letter on its own is anywhere: it says nothing.
    if (found.length === Array.from(word).length && found.length > 1) return found;
  }
  return null;
}
