import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { unlessAborted } from './deadline.ts';
import { MESSAGE_LIMIT_BYTES } from './server-transport.ts';
import type { ServerTransport } from './server-transport.ts';

/** How to reach a server. */
export interface ServerAddressOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer to one request broke off before anything in it could be the result; the code says how. */
  readonly onAnswerLost: (id: RequestId, code: string) => void;
  /** The server answered a request at all, be it with a redirect. */
  readonly onAnswered: (id: RequestId) => void;
}

/** How often an answer that broke off is asked for again, where the server keeps it. The call itself never is. */
const RESUME_LIMIT = 2;
/** How long the end of a session may take, ms. */
const FAREWELL_MS = 1_000;

/**
 * A server over streamable HTTP. Redirects are followed within its own origin only, an endless message is cut off, and
 * an answer that broke off for good is reported, where the SDK alone would wait for it until the deadline.
 */
export function createServerAddress(options: ServerAddressOptions): ServerTransport {
  const lost = new Map<RequestId, string>();
  let failedResumes = 0;

  const answerEnded = (id: RequestId, end: StreamEnd) => {
    if (end.canResume && end.code === 'truncated') lost.set(id, end.code);
    else options.onAnswerLost(id, end.code);
  };
  const resumeFailed = () => {
    failedResumes += 1;
    if (failedResumes < RESUME_LIMIT) return;
    failedResumes = 0;
    for (const [id, code] of lost) options.onAnswerLost(id, code);
    lost.clear();
  };

  const guardedFetch = async (to: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (new URL(to).origin !== options.url.origin) throw new Error('A tool server may not lead to another origin.');
    const headers = new Headers(init.headers);
    // A connection of its own: one that was kept open may die with a call inside, and nobody could say how far it got.
    headers.set('connection', 'close');
    const isResuming = headers.has('last-event-id');
    const id = requestIdOf(init.body);
    let response: Response;
    try {
      response = await fetch(to, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      if (isResuming) resumeFailed();
      throw error;
    }
    if (id !== null) options.onAnswered(id);
    if (isResuming) {
      if (response.ok) failedResumes = 0;
      else resumeFailed();
    }
    return withLimit(response, (end) => {
      if (id !== null && response.ok) answerEnded(id, end);
    });
  };

  const transport = new StreamableHTTPClientTransport(options.url, {
    fetch: guardedFetch,
    requestInit: { headers: { ...options.headers } },
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: RESUME_LIMIT,
    },
  });
  const closeTransport = transport.close.bind(transport);
  const close = async () => {
    // A server that is told forgets the session at once. One that is gone or hangs must not hold anybody up.
    const farewell = transport.terminateSession().catch(() => undefined);
    await unlessAborted(farewell, AbortSignal.timeout(FAREWELL_MS));
    await closeTransport();
  };
  // The SDK looks callbacks up on the transport itself, so it is extended rather than wrapped.
  return Object.assign(transport, { endCode: null, lastWords: '', close }) as ServerTransport;
}

interface StreamEnd {
  /** The server numbers its events, so that the rest of an answer can be asked for. */
  readonly canResume: boolean;
  readonly code: string;
}

/** The id of the request in a body; `null` for notifications and for anything that is no request. */
function requestIdOf(body: RequestInit['body']): RequestId | null {
  if (typeof body !== 'string') return null;
  const message = JSON.parse(body) as { readonly id?: unknown; readonly method?: unknown };
  const isRequest = typeof message.method === 'string';
  return isRequest && (typeof message.id === 'string' || typeof message.id === 'number') ? message.id : null;
}

/** The same response, cut off where one message grows endless; says when its body is over. */
function withLimit(response: Response, onEnd: (end: StreamEnd) => void): Response {
  const { body } = response;
  if (body === null) {
    onEnd({ canResume: false, code: 'truncated' });
    return response;
  }
  const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
  const reader = body.getReader();
  let held = 0;
  let canResume = false;
  const limited = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return onEnd({ canResume, code: 'truncated' });
        }
        const text = isStream ? Buffer.from(value).toString('latin1') : '';
        canResume ||= /(?:^|\n)id:/u.test(text);
        // Each event ends in an empty line; what stands after the last one belongs to the next.
        const lastEvent = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\n\r\n'));
        held = lastEvent === -1 ? held + value.length : value.length - lastEvent;
        if (held > MESSAGE_LIMIT_BYTES) {
          controller.error(new Error('The answer is too large.'));
          onEnd({ canResume: false, code: 'answer-too-large' });
          return await reader.cancel();
        }
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        onEnd({ canResume, code: 'truncated' });
      }
    },
    cancel: async (reason) => await reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(limited, { status, statusText, headers });
}
