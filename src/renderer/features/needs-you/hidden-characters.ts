import { visibleParts } from '../../../shared/lib/visible-text.ts';

/** How many characters in these texts would not be seen; a person is told before they allow anything. */
export function countHidden(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + visibleParts(text).filter((part) => part.escaped).length, 0);
}
