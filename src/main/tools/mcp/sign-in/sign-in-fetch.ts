import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isThisMachine } from '../../../../shared/lib/this-machine.ts';
import { isSafeForTokens } from './sign-in-address.ts';

/** The longest answer of an authorization server, bytes: metadata, a registration or tokens. */
const ANSWER_LIMIT_BYTES = 256 * 1024;
/** How long one answer may take, ms. */
const ANSWER_MS = 15_000;

/** An authorization server led to where nothing is sent. Its message is a sentence about it. */
export class SignInLedAstray extends Error {}

/**
 * Asks authorization servers. Nothing leaves unencrypted, but to this machine, and a server elsewhere leads to nothing on this
 * machine. What carries a code or a token is never sent on to another address.
 */
export function createSignInFetch(server: URL, signal: AbortSignal): FetchLike {
  return async (to, init = {}) => {
    const url = new URL(to);
    if (!isSafeForTokens(url)) throw new SignInLedAstray(`It leads to ${url.host} without encryption.`);
    if (isThisMachine(url) && !isThisMachine(server)) throw new SignInLedAstray('It leads to this machine itself.');
    const ends = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const response = await fetch(url, { ...init, redirect: 'manual', signal: ends });
    const isRedirect = response.status >= 300 && response.status < 400;
    if (isRedirect && (init.method ?? 'GET').toUpperCase() !== 'GET') {
      await response.body?.cancel();
      throw new SignInLedAstray(`${url.host} sends its callers on to another address.`);
    }
    const { status, statusText, headers } = response;
    const body = status === 204 || status === 304 ? null : await readLimited(response);
    return new Response(body, { status, statusText, headers });
  };
}

async function readLimited(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > ANSWER_LIMIT_BYTES) throw new SignInLedAstray('Its answer is too large.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
