import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';

/** The longest address and the longest part before the at sign that mail servers have to take (RFC 5321, 4.5.3.1). */
const ADDRESS_LIMIT = 254;
const LOCAL_LIMIT = 64;
/** How much of a refused text is repeated to a person, in characters. */
const SHOWN_LIMIT = 80;

/**
 * Fewer characters than the standard allows: `%` and `!` make some servers pass a message on to another domain than the
 * one after the at sign, and quotes, blanks and brackets make one text read as two addresses.
 */
const LOCAL = /^(?!-)[\w+=&'~#-]+(?:\.[\w+=&'~#-]+)*$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** A plain address; the domain is in lower case, as domains have no case. */
export interface MailAddress {
  readonly text: string;
  readonly domain: string;
}

/**
 * Reads one plain address such as `ana@example.com`: no display name, no list, no comment, nothing but visible ASCII. A
 * domain in another script has to be written in its `xn--` form, so that no look-alike passes for a known name. The error
 * is a sentence.
 */
export function plainAddress(given: string): Result<MailAddress, string> {
  const at = given.lastIndexOf('@');
  const local = given.slice(0, Math.max(0, at));
  const domain = given.slice(at + 1).toLowerCase();
  const isPlain = at > 0 && LOCAL.test(local) && DOMAIN.test(domain);
  if (!isPlain || local.length > LOCAL_LIMIT || given.length > ADDRESS_LIMIT) {
    return err(`"${escapedText(given)}" is not one plain mail address.`);
  }
  return ok({ text: `${local}@${domain}`, domain });
}

/** Whether an address was granted: by itself, or by its whole domain as `@example.com`. Subdomains are other domains. */
export function isGrantedRecipient(address: MailAddress, recipients: readonly string[]): boolean {
  return recipients.some((entry) => {
    if (entry.startsWith('@')) return entry.slice(1).toLowerCase() === address.domain;
    const granted = plainAddress(entry);
    return granted.ok && granted.value.text === address.text;
  });
}

/** Untrusted text with everything but visible ASCII spelled out, so that a Cyrillic `а` is not taken for a Latin one. */
export function escapedText(given: string): string {
  const shown = given.slice(0, SHOWN_LIMIT).replaceAll(/[^ -~]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
  return shown + (given.length > SHOWN_LIMIT ? '…' : '');
}
