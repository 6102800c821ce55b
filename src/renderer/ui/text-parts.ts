/** The length of a part, UTF-16 units. About as much as two screens hold. */
export const PART_LENGTH = 4_096;
/** How far back a cut moves to keep what belongs together, such as a letter and its accents. */
const BACK_LIMIT = 32;

/** A stretch of a long text. */
export interface TextPart {
  readonly text: string;
  /** The line goes on in the next part: there is no line feed between the two. */
  readonly goesOn: boolean;
}

/** Cuts a long text behind line feeds where there are any, else between two characters. Together the parts are the text. */
export function textParts(text: string, length = PART_LENGTH): TextPart[] {
  const parts: TextPart[] = [];
  for (let from = 0; from < text.length;) {
    const to = cutBefore(text, from, Math.min(text.length, from + length));
    const part = text.slice(from, to);
    parts.push({ text: part, goesOn: to < text.length && !part.endsWith('\n') });
    from = to;
  }
  return parts;
}

function cutBefore(text: string, from: number, limit: number): number {
  if (limit === text.length) return limit;
  const lineEnd = text.lastIndexOf('\n', limit - 1) + 1;
  if (lineEnd > from) return lineEnd;
  for (let at = limit; at > Math.max(from, limit - BACK_LIMIT); at -= 1) if (isBetween(text, at)) return at;
  return limit;
}

/** Whether a place is between two characters: not in a surrogate pair, and not before a mark on the one before. */
function isBetween(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const isLowHalf = code >= 0xdc_00 && code <= 0xdf_ff;
  return !isLowHalf && !/^\p{M}/u.test(text.slice(at, at + 2));
}

/** About how many lines a part takes when so many characters fit into one. */
export function lineCount({ text }: TextPart, columns: number): number {
  let lines = 0;
  for (const line of (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n'))
    lines += Math.max(1, Math.ceil(line.length / columns));
  return lines;
}
