/**
 * Characters that change how text looks without being seen: controls, bidirectional and other format marks, line and
 * paragraph separators, everything a font draws as nothing, and halves of a surrogate pair, which do not survive UTF-8.
 * Named by their Unicode properties, so that the list cannot fall behind the standard. Taken out again are
 * the few format characters that have a shape: Arabic, Syriac and Kaithi number signs and the like.
 */
export const HIDDEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]]/gv;

/** A stretch of text as a person should see it; `escaped` stretches stand for one hidden character each. */
export interface VisiblePart {
  readonly text: string;
  readonly escaped: boolean;
}

/**
 * Splits untrusted text into what is plainly visible and what would hide, the latter as `U+202E`. Line feeds and tabs
 * stay. What a person approves must be what leaves (ux section 3).
 */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), escaped: false });
    const code = match[0].codePointAt(0) ?? 0;
    parts.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, escaped: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), escaped: false });
  return parts;
}

/** The same as one string, hidden characters in brackets: for titles, logs and the terminal. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map((part) => (part.escaped ? `[${part.text}]` : part.text))
    .join('');
}
