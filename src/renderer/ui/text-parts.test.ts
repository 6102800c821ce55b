import { describe, expect, it } from 'vitest';
import { lineCount, textParts } from './text-parts.ts';

const joined = (text: string, length: number): string =>
  textParts(text, length)
    .map((part) => part.text)
    .join('');

describe('a text in parts', () => {
  it('loses or doubles something at a cut', () => {
    for (const text of ['', 'a', 'a\nbb\n\nccc', '\n\n\n', 'no line feed at all', `${'\uD83D\uDE00'.repeat(9)}\n`]) {
      for (const length of [1, 2, 3, 7, 100]) expect(joined(text, length)).toBe(text);
    }
  });

  it('shows a line break that is not in the text without saying so', () => {
    expect(textParts('ab\ncd\nefghi', 4)).toEqual([
      { text: 'ab\n', goesOn: false },
      { text: 'cd\n', goesOn: false },
      { text: 'efgh', goesOn: true },
      { text: 'i', goesOn: false },
    ]);
  });

  it('tears a character or its accents apart', () => {
    expect(textParts('abc\uD83D\uDE00d', 4).map((part) => part.text)).toEqual(['abc', '\uD83D\uDE00d']);
    expect(textParts('abce\u0301\u0323f', 5).map((part) => part.text)).toEqual(['abc', 'e\u0301\u0323f']);
  });

  it('never comes to an end where nothing can be cut well', () => {
    expect(joined('\u0301'.repeat(50), 3)).toBe('\u0301'.repeat(50));
    expect(joined('\uDE00'.repeat(50), 1)).toBe('\uDE00'.repeat(50));
  });

  it('keeps room for a screen where there is a line', () => {
    const part = (text: string) => ({ text, goesOn: false });
    expect(lineCount(part('a\nb\n'), 10)).toBe(2);
    expect(lineCount(part('\n\n'), 10)).toBe(2);
    expect(lineCount(part('x'.repeat(25)), 10)).toBe(3);
  });
});
