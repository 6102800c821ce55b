import { causeText } from '../../shared/lib/system-causes.ts';
import { opening } from './words.ts';

/**
 * A sentence that a tool or a register wrote down, with plain words in place of the code that it got from the system. The
 * record keeps the code: the evidence shows it.
 */
export function plainly(sentence: string): string {
  return sentence
    .replace(/ \((e[a-z_]+)\)(?=\.|$)/giu, (whole, code: string) => {
      const cause = causeText(code);
      return cause === null ? whole : `: ${cause}`;
    })
    .replace(/\b(?:connect|getaddrinfo|read|write) (E[A-Z_]+)(?: ([^\s]+?))?(?=\.(?:\s|$)|$)/gu, (whole, code, at) => {
      const cause = causeText(String(code));
      if (cause === null) return whole;
      return typeof at === 'string' ? `${opening(cause)} (${at})` : opening(cause);
    });
}
