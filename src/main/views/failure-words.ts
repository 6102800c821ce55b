import { ownMember } from '../../shared/lib/own-member.ts';
import { opening } from './words.ts';

/** What the codes of networks and disks mean, as the end of a sentence. */
const CAUSES: Readonly<Record<string, string>> = {
  eacces: 'the system does not allow it',
  eai_again: 'its name could not be looked up',
  econnrefused: 'nothing answers there',
  econnreset: 'the connection was cut',
  ehostdown: 'there is no way to it in this network',
  ehostunreach: 'there is no way to it in this network',
  eio: 'the disk failed',
  enetdown: 'the network is down',
  enetunreach: 'the network cannot be reached',
  enoent: 'it is not there',
  enospc: 'there is no room left',
  enotfound: 'there is no machine of this name',
  eperm: 'the system does not allow it',
  epipe: 'the connection was cut',
  etimedout: 'no answer came in time',
};

/** `econnrefused` as the end of a sentence: `nothing answers there`; `null` for a code that is not known here. */
export function causeText(code: string): string | null {
  return ownMember(CAUSES, code.toLowerCase()) ?? null;
}

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
