import type { ToolServer } from '../../../../shared/contract/scope.ts';
import { isThisMachine } from '../../../../shared/lib/this-machine.ts';

/** Why nobody can sign in at a server: it is given a key of the agent's own, or anybody on the way could read the token. */
export type NoSignIn = 'own-key' | 'unencrypted';

/** What a 401 of a server means, and with it what can be done about it. */
export type SignInNeed = NoSignIn | 'sign-in' | 'sign-in-again' | 'renewed-next-time' | 'not-renewed';

/**
 * The address that a sign-in at a server holds for: as the parser spells it, with its path and query. Or why there is none.
 * A program that is started is given its keys in another way.
 */
export function signInAddress(definition: ToolServer): { readonly address: string } | { readonly none: NoSignIn } {
  if (!('url' in definition)) return { none: 'own-key' };
  const headers = [...Object.keys(definition.headers ?? {}), ...Object.keys(definition.secretHeaders ?? {})];
  if (headers.some((name) => name.toLowerCase() === 'authorization')) return { none: 'own-key' };
  const url = URL.canParse(definition.url) ? new URL(definition.url) : null;
  if (url === null || !isSafeForTokens(url)) return { none: 'unencrypted' };
  url.hash = '';
  return { address: url.href };
}

/** Whether a token may go there: https, or this machine. */
export function isSafeForTokens(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
}
