import type { ServerResponse } from 'node:http';

/** The last piece of a long answer, bytes: far less than what a connection takes without being asked to wait. */
const LAST_BYTES = 1_024;

/**
 * Sends an answer of any length. The last piece leaves only after everything before it was handed to the system: Node pauses a
 * connection whose next request arrives while it still waits for its own last write, and over TLS the rest of that request
 * then breaks the connection (HPE_PAUSED). A device would be left with an unknown outcome.
 */
export async function sendReply(response: ServerResponse, of: { readonly status: number; readonly body: object }) {
  if (response.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(of.body), 'utf8');
  response.writeHead(of.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // What was not read of a body must not be taken for the next request.
    ...(response.req.complete ? {} : { connection: 'close' }),
  });
  const first = bytes.subarray(0, Math.max(0, bytes.length - LAST_BYTES));
  // An error means that nobody listens any more, which the next write finds out as well.
  if (first.length > 0) await new Promise<void>((resolve) => response.write(first, () => resolve()));
  response.end(bytes.subarray(first.length));
}
