import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { OUTPUT_LIMIT_BYTES } from '../tool.ts';

/** One request to one address. */
export interface ExchangeOptions {
  readonly url: URL;
  /** Headers besides those of the protocol, such as the one with the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** From the first packet to the last byte of the answer, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How far an exchange got. */
export interface ExchangeState {
  /** False as long as no byte of the request can have left. */
  readonly hasLeft: boolean;
  /** The status of the answer; `null` if none came. */
  readonly status: number | null;
  /** Why it broke off, as a code; `null` if it did not. */
  readonly cause: string | null;
}

/** A `fetch` that can be used once and always knows whether the request left. */
export interface Exchange {
  readonly fetch: typeof fetch;
  readonly state: ExchangeState;
  /** Ends the exchange for a reason; the first reason stays. */
  cut(code: string): void;
  /** Lets go of the connection and the timer. */
  close(): void;
}

/** The most of one answer that is read, with all that a protocol wraps around a text, in bytes. */
const STREAM_LIMIT_BYTES = 64 * 1024 * 1024;
/** The most that is read of an answer that says that something went wrong, in bytes. */
const ERROR_BODY_LIMIT_BYTES = 64 * 1024;
/** All that may leave of the headers that an SDK makes up; it would also tell about this machine. */
const PROTOCOL_HEADERS = ['accept', 'anthropic-version', 'content-type'];
/** Statuses that `Response` takes no body for. */
const WITHOUT_BODY = new Set([204, 205, 304]);

type Mutable<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] };

/**
 * Sends a request at most once: no retries, no redirects, no proxy, no shared connection. An SDK that wants to send
 * again, whatever its settings say, is refused here. Until the connection stands, nothing has left.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  const state: Mutable<ExchangeState> = { hasLeft: false, status: null, cause: null };
  let outgoing: http.ClientRequest | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isUsed = false;

  const cut = (code: string) => {
    state.cause ??= code;
    outgoing?.destroy(new Error(code));
  };
  const onAbort = () => cut('aborted');
  const close = () => {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', onAbort);
    outgoing?.destroy();
  };

  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (isUsed) throw new Error('A request to a model is sent once.');
    isUsed = true;
    const body = checkedRequest(input, init, options.url);
    if (options.signal.aborted) {
      state.cause = 'aborted';
      throw new Error('aborted');
    }
    options.signal.addEventListener('abort', onAbort);
    timer = setTimeout(() => cut('timeout'), options.timeoutMs);
    const headers = { 'user-agent': 'fencepost', ...protocolHeaders(init), ...options.headers };
    // A connection of its own: one that was kept open may die with the request inside, which looks like a refusal.
    const how = { method: 'POST', headers, agent: false };
    const isTls = options.url.protocol === 'https:';
    const request = isTls ? https.request(options.url, how) : http.request(options.url, how);
    outgoing = request;
    request.on('socket', (socket: Socket) => {
      // Over TLS the request waits for the handshake, so a bad certificate still means that nothing left.
      socket.once(isTls ? 'secureConnect' : 'connect', () => (state.hasLeft = true));
    });
    const incoming = await answerTo(request, body, state);
    state.status = incoming.statusCode ?? 0;
    return toResponse(incoming, { status: state.status, state, cut });
  };

  return { fetch: send, state, cut, close };
}

/** The body of a request that goes where it was granted to go; anything else is a bug. */
function checkedRequest(input: string | URL | Request, init: RequestInit | undefined, granted: URL): string {
  const address = input instanceof Request ? input.url : new URL(input).href;
  if (address !== granted.href) throw new Error('A request to a model went astray.');
  if (init?.method?.toUpperCase() !== 'POST') throw new Error('A model is asked with POST.');
  if (typeof init.body !== 'string') throw new Error('The body of a request to a model must be text.');
  return init.body;
}

function protocolHeaders(init: RequestInit | undefined): Record<string, string> {
  const given = new Headers(init?.headers);
  return Object.fromEntries(PROTOCOL_HEADERS.map((name) => [name, given.get(name) ?? '']).filter(([, value]) => value));
}

function answerTo(
  request: http.ClientRequest,
  body: string,
  state: Mutable<ExchangeState>,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error, code: string) => {
      state.cause ??= code.toLowerCase();
      reject(error);
    };
    let isAnswered = false;
    request.on('response', (incoming) => {
      isAnswered = true;
      // The reading of the body reports what goes wrong; without a listener it would end the process.
      incoming.on('error', () => {});
      resolve(incoming);
    });
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      fail(new Error('upgraded'), 'upgraded');
    });
    request.on('error', (error) => {
      if (!isAnswered) fail(error, 'code' in error && typeof error.code === 'string' ? error.code : 'broken');
    });
    request.on('close', () => {
      if (!isAnswered) fail(new Error('closed'), 'closed');
    });
    request.end(body);
  });
}

interface Answered {
  readonly status: number;
  readonly state: Mutable<ExchangeState>;
  readonly cut: (code: string) => void;
}

function toResponse(incoming: http.IncomingMessage, answered: Answered): Response {
  const { status } = answered;
  const type = incoming.headers['content-type'] ?? '';
  const isGood = status >= 200 && status < 300;
  if (isGood && !/^text\/event-stream\b/iu.test(type)) {
    answered.cut('not-a-stream');
    throw new Error('not-a-stream');
  }
  // The server's other headers could only talk an SDK into something.
  const init = { status, headers: { 'content-type': type } };
  if (WITHOUT_BODY.has(status) || status < 200 || status > 599) {
    return new Response(null, { ...init, status: status > 599 ? 599 : Math.max(200, status) });
  }
  const bytes = isGood ? wholeStream(incoming, answered) : beginning(incoming);
  return new Response(Readable.toWeb(Readable.from(bytes)) as unknown as BodyInit, init);
}

/** The bytes of an answer, as long as they are UTF-8 and within bounds. Any flaw ends the exchange with its reason. */
async function* wholeStream(incoming: AsyncIterable<Buffer>, { state, cut }: Answered): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let totalBytes = 0;
  let lineBytes = 0;
  try {
    for await (const chunk of incoming) {
      totalBytes += chunk.length;
      const lineEnd = chunk.lastIndexOf(0x0a);
      lineBytes = lineEnd === -1 ? lineBytes + chunk.length : chunk.length - lineEnd - 1;
      // An SDK keeps a line in memory until it ends.
      if (totalBytes > STREAM_LIMIT_BYTES || lineBytes > OUTPUT_LIMIT_BYTES) cut('answer-too-long');
      // Damaged bytes would be replaced silently, and may stand in the arguments of a call.
      if (!isText(decoder, chunk)) cut('invalid-text');
      if (state.cause !== null) throw new Error(state.cause);
      yield chunk;
    }
    if (!isText(decoder)) throw new Error('invalid-text');
  } catch (error) {
    cut('stream-cut');
    throw error;
  }
}

function isText(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    if (chunk === undefined) decoder.decode();
    else decoder.decode(chunk, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The first bytes of an answer whose status has said what matters. */
async function* beginning(incoming: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let room = ERROR_BODY_LIMIT_BYTES;
  try {
    for await (const chunk of incoming) {
      yield chunk.subarray(0, room);
      room -= chunk.length;
      if (room <= 0) return;
    }
  } catch {
    // The status came whole, and a message that broke off is as good as none.
  }
}
