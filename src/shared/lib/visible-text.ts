/** Characters that change how text looks without being seen: controls, bidirectional marks, zero-width, separators. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu;

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
