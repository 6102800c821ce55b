import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleParts, visibleText } from './visible-text.ts';

describe('what a person sees of untrusted text', () => {
  it.each([
    'plain text, with punctuation!',
    'line one\nline two\tand a tab',
    'ÄÖÜ ß é e\u0301 日本語 ไทย עברית العربية हिन्दी',
    '\u{1F600}\u{1F1EB}\u{1F1F7}',
    '\u0600\u06DD\u{110BD}',
  ])('plainly visible text is escaped: %s', (text) => {
    expect(visibleText(text)).toBe(text);
  });

  it.each([
    { hazard: 'text runs backwards', character: '\u202E', shown: 'U+202E' },
    { hazard: 'an isolate hides the order', character: '\u2066', shown: 'U+2066' },
    { hazard: 'a zero-width space splits a word', character: '\u200B', shown: 'U+200B' },
    { hazard: 'a zero-width joiner hides', character: '\u200D', shown: 'U+200D' },
    { hazard: 'a byte order mark hides', character: '\uFEFF', shown: 'U+FEFF' },
    { hazard: 'a soft hyphen hides', character: '\u00AD', shown: 'U+00AD' },
    { hazard: 'a carriage return overwrites the line', character: '\r', shown: 'U+000D' },
    { hazard: 'an escape sequence steers the terminal', character: '\u001B', shown: 'U+001B' },
    { hazard: 'a backspace takes text back', character: '\b', shown: 'U+0008' },
    { hazard: 'a null ends the text', character: '\u0000', shown: 'U+0000' },
    { hazard: 'a line separator breaks the line', character: '\u2028', shown: 'U+2028' },
    { hazard: 'a paragraph separator breaks the line', character: '\u2029', shown: 'U+2029' },
    { hazard: 'a Hangul filler passes for a space', character: '\u3164', shown: 'U+3164' },
    { hazard: 'a variation selector carries data', character: '\uFE0F', shown: 'U+FE0F' },
    { hazard: 'a variation selector of the supplement carries data', character: '\u{E0100}', shown: 'U+E0100' },
    { hazard: 'tag characters carry a hidden instruction', character: '\u{E0041}', shown: 'U+E0041' },
    { hazard: 'an annotation anchor hides', character: '\uFFF9', shown: 'U+FFF9' },
    { hazard: 'a grapheme joiner hides', character: '\u034F', shown: 'U+034F' },
    { hazard: 'half a surrogate pair leaves as another character', character: '\uD800', shown: 'U+D800' },
  ])('$hazard', ({ character, shown }) => {
    expect(visibleParts(`a${character}b`)).toEqual([
      { text: 'a', escaped: false },
      { text: shown, escaped: true },
      { text: 'b', escaped: false },
    ]);
    expect(visibleText(`a${character}b`)).toBe(`a[${shown}]b`);
  });

  it('hidden characters at an end, or side by side, are swallowed', () => {
    expect(visibleText('\u202Ea\u200B\u200B')).toBe('[U+202E]a[U+200B][U+200B]');
    expect(visibleParts('')).toEqual([]);
  });

  it('some text still hides something, or loses what was visible', () => {
    const units = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\u202E', '\u2066', '\u200B', '\uFE0F', 'a', 'é') }),
    );
    fc.assert(
      fc.property(units, (text) => {
        const shown = visibleText(text);
        expect(visibleText(shown)).toBe(shown);
        const restored = visibleParts(text)
          .map((part) => (part.escaped ? String.fromCodePoint(Number.parseInt(part.text.slice(2), 16)) : part.text))
          .join('');
        expect(restored).toBe(text);
      }),
    );
  });
});
