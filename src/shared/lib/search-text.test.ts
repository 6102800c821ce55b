import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findWords, foldedLength, markedParts, searchWords } from './search-text.ts';

const found = (text: string, query: string) =>
  findWords(text, searchWords(query))?.map(({ from, to }) => text.slice(from, to)) ?? null;

describe('looking for words in a text', () => {
  it('finds nothing where capitals, accents or the order of words differ', () => {
    expect(found('Pay the CAFÉ in Zürich', 'zurich café')).toEqual(['CAFÉ', 'Zürich']);
    expect(found('Pay the cafe\u0301', 'cafe')).toEqual(['cafe\u0301']);
    expect(found('Weekly numbers', 'weekly report')).toBeNull();
  });

  it('is kept from finding by characters that nobody sees', () => {
    expect(found('Pay\u200Bment to \u202Eana', 'payment ana')).toEqual(['Pay\u200Bment', 'ana']);
    expect(found('Payment', 'pay\u2060ment')).toEqual(['Payment']);
    expect(searchWords(' \u200B \u202E ')).toEqual([]);
  });

  it('cuts a letter in two', () => {
    expect(found('🙂🙃 done', '🙃')).toEqual(['🙃']);
    expect(found('दिल्ली', 'ल')).toEqual(['ल्ली']);
    expect(found('한국어 문서', '한국')).toEqual(['한국']);
    expect(found('İstanbul', 'stan')).toEqual(['stan']);
  });

  it('loses or adds text where something is marked', () => {
    assert(
      property(string({ unit: 'binary' }), string({ unit: 'binary', maxLength: 3 }), (text, query) => {
        const parts = markedParts(text, findWords(text, searchWords(query)) ?? []);
        expect(parts.map((part) => part.text).join('')).toBe(text);
      }),
    );
  });

  it('does not find a text by itself', () => {
    assert(
      property(string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (text) => {
        const words = searchWords(text);
        expect(findWords(text, words)).not.toBeNull();
        for (const word of words) expect(foldedLength(word)).toBeGreaterThan(0);
      }),
    );
  });

  it('looks for a whole page of words', () => {
    expect(searchWords('a b c d e f g h i j k')).toHaveLength(8);
    expect(searchWords('a a  a')).toEqual(['a']);
  });
});
