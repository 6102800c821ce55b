import type { IncomingHttpHeaders } from 'node:http';

/** What of a request says where it comes from. */
export interface OriginFacts {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a request names this server exactly, and comes from its own pages or from no page at all. `Host` stops a name
 * that somebody points at 127.0.0.1 (DNS rebinding); `Origin` and `Sec-Fetch-Site` stop other pages of this browser.
 */
export function isOwnRequest(request: OriginFacts, port: number): boolean {
  const { headers } = request;
  if (headers.host !== `127.0.0.1:${port}`) return false;
  if (headers.origin !== undefined && headers.origin !== originOf(port)) return false;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  // A link elsewhere may open the page; the cookie does not come with it.
  return (
    request.method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  );
}

/** The one origin that the server's pages have. */
export function originOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
