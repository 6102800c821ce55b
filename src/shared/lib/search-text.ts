import { HIDDEN } from './visible-text.ts';

/** How many words of a search count; what follows them is left out. */
const WORDS_MAX = 8;
/** The marks that stand above and below letters, as the search index knows them. */
const ACCENTS = /[\u0300-\u036F]/gu;
/** What belongs to the letter before it: cutting there would change how that letter looks. */
const JOINED = /^(?:\p{M}|\u200D|\uFE0E|\uFE0F)+/u;

/** A stretch of a text, in the units that `slice` counts. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Text without the characters that would hide in it: nobody can type them, so nobody should have to. */
function withoutHidden(text: string): string {
  return text.replaceAll(HIDDEN, '');
}

/** The words that are looked for: each once, without hidden characters. */
export function searchWords(query: string): readonly string[] {
  const words = withoutHidden(query)
    .split(/\s+/u)
    .filter((word) => fold(word).text !== '');
  return [...new Set(words)].slice(0, WORDS_MAX);
}

/** How many letters a word has as the index counts them. */
export function foldedLength(word: string): number {
  return Array.from(fold(word).text).length;
}

/**
 * Where the words stand in a text, from left to right and without overlap; `null` if one of them is not there. Upper and
 * lower case, accents and hidden characters make no difference. A stretch never ends inside a letter.
 */
export function findWords(text: string, words: readonly string[]): readonly TextRange[] | null {
  const folded = fold(text);
  const found: TextRange[] = [];
  for (const word of words) {
    const wanted = fold(word).text;
    let at = folded.text.indexOf(wanted);
    if (at < 0 || wanted === '') return null;
    for (; at >= 0; at = folded.text.indexOf(wanted, at + wanted.length)) {
      const to = folded.ends[at + wanted.length - 1] ?? text.length;
      const rest = JOINED.exec(text.slice(to))?.[0] ?? '';
      found.push({ from: folded.starts[at] ?? 0, to: to + rest.length });
    }
  }
  return merged(found);
}

/** Ranges in order, those that touch or overlap as one. */
function merged(ranges: readonly TextRange[]): readonly TextRange[] {
  const result: TextRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last !== undefined && range.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else result.push(range);
  }
  return result;
}

interface Folded {
  readonly text: string;
  /** For each unit of `text`, where the character it came from begins and ends. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function fold(text: string): Folded {
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = '';
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    const kept = withoutHidden(character).normalize('NFD').replaceAll(ACCENTS, '').normalize('NFC').toLowerCase();
    for (let unit = 0; unit < kept.length; unit++) {
      starts.push(from);
      ends.push(to);
    }
    folded += kept;
    from = to;
  }
  return { text: folded, starts, ends };
}

/** A text cut into what was found and what was not, in order; nothing of it is lost. */
export function markedParts(
  text: string,
  ranges: readonly TextRange[],
): readonly { readonly text: string; readonly isFound: boolean }[] {
  const parts: { readonly text: string; readonly isFound: boolean }[] = [];
  let from = 0;
  for (const range of merged(ranges)) {
    if (range.from > from) parts.push({ text: text.slice(from, range.from), isFound: false });
    if (range.to > Math.max(from, range.from))
      parts.push({ text: text.slice(Math.max(from, range.from), range.to), isFound: true });
    from = Math.max(from, range.to);
  }
  if (from < text.length) parts.push({ text: text.slice(from), isFound: false });
  return parts;
}
