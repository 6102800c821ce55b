import { visibleText } from '../../shared/lib/visible-text.ts';
import { TITLE_LIMIT } from './tool.ts';

/** One line of at most `TITLE_LIMIT` characters in which nothing hides. */
export function plainTitle(text: string): string {
  const line = visibleText(text).replaceAll(/\s+/gu, ' ').trim();
  const characters = [...line];
  // Counted in UTF-16 units, as a text field would, but never cut inside a character.
  while (characters.join('').length > TITLE_LIMIT - 1 && line.length > TITLE_LIMIT) characters.pop();
  return line.length > TITLE_LIMIT ? `${characters.join('')}…` : line;
}
