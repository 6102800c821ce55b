import { isThisMachine } from './this-machine.ts';
import { visibleText } from './visible-text.ts';

/** Characters of an address that no program on the way to a browser takes for anything else. `&` only parts a query. */
const HARMLESS = /^[\w\-.~:/?#[\]@!*+,=%&]+$/u;

/**
 * An address that may be handed to the system's browser: https, or http to this machine, spelt as the parser spells it, without
 * a name or password and without a character that means something to a shell. `null` for any other: it is not opened.
 */
export function outsideLink(text: string): URL | null {
  if (visibleText(text) !== text || !text.isWellFormed() || !HARMLESS.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
  if (!isSafe || url.username !== '' || url.password !== '') return null;
  if (url.href !== text || `${url.pathname}${url.hash}`.includes('&')) return null;
  return url;
}
