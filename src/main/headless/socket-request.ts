/** One call of a page. Route and request are unchecked: the router does that. */
export interface SocketRequest {
  readonly id: number;
  readonly route: unknown;
  readonly request: unknown;
}

/** Reads a page's message; `null` when it is no call, because then there is no id to answer to. */
export function readSocketRequest(text: string): SocketRequest | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null || !Object.hasOwn(message, 'id')) return null;
  const { id, route, request } = message as Partial<Record<'id' | 'route' | 'request', unknown>>;
  return typeof id === 'number' && Number.isSafeInteger(id) ? { id, route, request } : null;
}
