import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { cappedOutput } from '../capped-output.ts';

/** One request, complete and checked. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** From the first packet to the last byte of the answer, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A whole answer, or how far the request got. */
export type HttpReply =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** No byte of the request was written. */
  | { readonly kind: 'never-sent'; readonly code: string }
  /** The request was on its way, and no whole answer came back. */
  | { readonly kind: 'no-answer'; readonly code: string };

/**
 * Sends one request once: no retries, no redirects, no proxy, no shared connection. Until the connection stands,
 * nothing of the request has left; from then on a missing answer says nothing.
 */
export function sendRequest(request: HttpRequest): Promise<HttpReply> {
  if (request.signal.aborted) return Promise.resolve({ kind: 'never-sent', code: 'aborted' });
  const isTls = request.url.protocol === 'https:';
  return new Promise((resolve) => {
    let mayHaveLeft = false;
    let cause: string | null = null;
    const { method, url, headers } = request;
    // A connection of its own: one that was kept open may die with the request inside, which looks like a refusal.
    const options = { method, headers, agent: false };
    const outgoing = isTls ? https.request(url, options) : http.request(url, options);

    const finish = (reply: HttpReply) => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onAbort);
      outgoing.destroy();
      resolve(reply);
    };
    const fail = (code: string) => {
      const why = (cause ?? code).toLowerCase();
      finish(mayHaveLeft ? { kind: 'no-answer', code: why } : { kind: 'never-sent', code: why });
    };
    const cut = (code: string) => {
      cause = code;
      fail(code);
    };
    const onAbort = () => cut('aborted');
    const timer = setTimeout(() => cut('timeout'), request.timeoutMs);
    request.signal.addEventListener('abort', onAbort);

    outgoing.on('socket', (socket: Socket) => {
      // Over TLS the request waits for the handshake, so a bad certificate still means that nothing left.
      socket.once(isTls ? 'secureConnect' : 'connect', () => (mayHaveLeft = true));
    });
    outgoing.on('response', (incoming) => readAnswer(incoming, { finish, fail }));
    outgoing.on('upgrade', () => fail('upgraded'));
    outgoing.on('error', (error) => fail(codeOf(error)));
    outgoing.on('close', () => fail('closed'));
    outgoing.end(request.body ?? undefined);
  });
}

function readAnswer(
  incoming: http.IncomingMessage,
  to: { readonly finish: (reply: HttpReply) => void; readonly fail: (code: string) => void },
): void {
  const body = cappedOutput();
  const answered = () =>
    to.finish({
      kind: 'answered',
      status: incoming.statusCode ?? 0,
      headers: plainHeaders(incoming.headers),
      body: body.text(),
    });
  incoming.on('data', (chunk: Buffer) => {
    body.add(chunk);
    // The status has been said; whatever an endless answer goes on to say is not read.
    if (body.isCut) answered();
  });
  incoming.on('end', () => (incoming.complete ? answered() : to.fail('truncated')));
  incoming.on('aborted', () => to.fail('truncated'));
  incoming.on('error', () => to.fail('truncated'));
}

function plainHeaders(headers: http.IncomingHttpHeaders): Readonly<Record<string, string>> {
  const plain = Object.entries(headers).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.join('\n') : (value ?? '')] as const;
  });
  return Object.fromEntries(plain);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'broken';
}
