import { visibleText } from '../../shared/lib/visible-text.ts';
import { TITLE_LIMIT } from './tool.ts';

/** One line of at most `TITLE_LIMIT` characters in which nothing hides. */
export function plainTitle(text: string): string {
  // Cut before escaping as well: a title needs no more than the beginning of what may be megabytes.
  const line = visibleText(text.slice(0, TITLE_LIMIT * 4))
    .replaceAll(/\s+/gu, ' ')
    .trim();
  if (line.length <= TITLE_LIMIT) return line;
  const cut = line.slice(0, TITLE_LIMIT - 1);
  // Half of a surrogate pair would be shown as damage.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}
