import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { unlessAborted } from './deadline.ts';
import type { Unauthorised } from './sign-in/kept-sign-ins.ts';
import type { NoSignIn, SignInNeed } from './sign-in/sign-in-address.ts';
import { hintOf } from './sign-in/sign-in-protocol.ts';
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
  /** The sign-in of this device at the server, or why there can be none. */
  readonly signIn: SignInUse | NoSignIn;
}

/** What a connection needs of a sign-in. */
export interface SignInUse {
  /** What a request shows now; `null` where nobody is signed in. */
  token(): string | null;
  /** The server answered 401. `null`: there is another token now, and what only reads may be asked again. */
  unauthorised(given: Unauthorised): Promise<SignInNeed | null>;
}

/** Requests that a server answers without doing anything. */
const READING = new Set(['initialize', 'ping', 'tools/list']);
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
    const { id, isReading } = requestIn(init.body);
    let response: Response;
    try {
      const ask = () => fetch(to, { ...init, headers, redirect: 'manual' });
      response = await askSignedIn(ask, { headers, isReading, signIn: options.signIn, server });
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
  const signInNeed = (typeof options.signIn === 'string' ? options.signIn : 'sign-in') as SignInNeed;
  // The SDK looks callbacks up on the transport itself, so it is extended rather than wrapped.
  const server = Object.assign(transport, { endCode: null, lastWords: '', signInNeed, close });
  return server;
}

/** Asks with the token that there is. A 401 to what only reads is asked once more with a new token; a call never is. */
async function askSignedIn(
  ask: () => Promise<Response>,
  of: {
    readonly headers: Headers;
    readonly isReading: boolean;
    readonly signIn: SignInUse | NoSignIn;
    readonly server: { signInNeed: SignInNeed };
  },
): Promise<Response> {
  const { headers, isReading, signIn, server } = of;
  if (typeof signIn === 'string') return await ask();
  for (let tries = 0; ; tries += 1) {
    const token = signIn.token();
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const response = await ask();
    if (response.status !== 401) return response;
    const need = await signIn.unauthorised({ token, hint: hintOf(response), isReading });
    server.signInNeed = need ?? 'sign-in-again';
    if (need !== null || tries > 0) return response;
    await response.body?.cancel();
  }
}

interface StreamEnd {
  /** The server numbers its events, so that the rest of an answer can be asked for. */
  readonly canResume: boolean;
  readonly code: string;
}

/** The request in a body; `id` is `null` for notifications and for anything that is no request. */
function requestIn(body: RequestInit['body']): { readonly id: RequestId | null; readonly isReading: boolean } {
  if (typeof body !== 'string') return { id: null, isReading: false };
  const { id, method } = JSON.parse(body) as { readonly id?: unknown; readonly method?: unknown };
  const isRequest = typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
  return isRequest ? { id, isReading: READING.has(method) } : { id: null, isReading: false };
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
