import http from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { refusalSchema } from './etcd-wire.ts';

/** The longest a connection may take to come about, ms. */
const CONNECT_LIMIT_MS = 1_000;
/** Larger than any answer that etcd gives here: a full record is below 400 kB. */
const ANSWER_LIMIT_BYTES = 4 * 1_048_576;
const SOCKETS_LIMIT = 32;

/**
 * What became of one request. `not-sent`: no byte of it can have arrived. `refused`: etcd itself said no, with the code of gRPC.
 * `unknown`: it may have been done, or may yet be.
 */
export type HttpOutcome =
  | { readonly kind: 'answered'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'not-sent' | 'unknown'; readonly cause: string };

/** PEM texts. */
export interface TlsFiles {
  /** Who vouches for the servers; the system's own list where it is missing. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface PostOptions {
  readonly body: object;
  readonly token: string | null;
  readonly limitMs: number;
}

/** @throws Error for a certificate or key that is not readable, or where the two do not belong together. */
function secureContext({ ca, cert, key }: TlsFiles): SecureContext {
  return createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
}

/** One address of etcd and its kept connections. Node's own `fetch` is not used since it takes no client certificates. */
export class EtcdEndpoint {
  readonly url: URL;
  readonly #agent: http.Agent;
  readonly #isTls: boolean;

  /** @throws Error for TLS files that cannot be used. */
  constructor(url: URL, files: TlsFiles) {
    this.url = url;
    this.#isTls = url.protocol === 'https:';
    const shared = { keepAlive: true, maxSockets: SOCKETS_LIMIT };
    const secure = this.#isTls ? { ...shared, secureContext: secureContext(files) } : null;
    this.#agent = secure === null ? new http.Agent(shared) : new https.Agent(secure);
  }

  /** Sends once, never again by itself. Never rejects. */
  post(path: string, { body, token, limitMs }: PostOptions): Promise<HttpOutcome> {
    return new Promise((resolve) => {
      let isConnected = false;
      const text = JSON.stringify(body);
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        ...(token !== null && { authorization: token }),
      };
      const send = this.#isTls ? https.request : http.request;
      const request = send(new URL(path, this.url), { method: 'POST', agent: this.#agent, headers });
      let isSettled = false;
      const end = (outcome: HttpOutcome): void => {
        isSettled = true;
        clearTimeout(connecting);
        clearTimeout(answering);
        resolve(outcome);
      };
      const fail = (cause: string): void => {
        if (isSettled) return;
        end({ kind: isConnected ? 'unknown' : 'not-sent', cause });
        request.destroy();
      };
      const connecting = setTimeout(
        () => !isConnected && fail('No connection came about.'),
        Math.min(CONNECT_LIMIT_MS, limitMs),
      );
      const answering = setTimeout(() => fail(`There was no answer within ${Math.round(limitMs)} ms.`), limitMs);
      request.on('close', () => fail('The connection ended.'));
      request.on('socket', (socket) => {
        const connected = (): void => {
          isConnected = true;
        };
        if (request.reusedSocket || !socket.connecting) connected();
        else socket.once(this.#isTls ? 'secureConnect' : 'connect', connected);
      });
      request.on('error', (cause) => fail(sentence(cause.message)));
      request.on('response', (response) => collect(response, { answered: end, fail }));
      request.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface Ends {
  readonly answered: (outcome: HttpOutcome) => void;
  readonly fail: (cause: string) => void;
}

function collect(response: http.IncomingMessage, { answered, fail }: Ends): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > ANSWER_LIMIT_BYTES) fail('The answer is too long to be one of etcd.');
    else parts.push(part);
  });
  response.on('error', (cause) => fail(sentence(cause.message)));
  response.on('end', () => {
    const outcome = read(response.statusCode ?? 0, Buffer.concat(parts).toString('utf8'));
    if (outcome === null) fail(`The answer is none of etcd (status ${response.statusCode ?? 0}).`);
    else answered(outcome);
  });
}

/** `null`: whoever answered that, it says nothing about what etcd did. */
function read(status: number, text: string): HttpOutcome | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (status === 200) return { kind: 'answered', body };
  const refusal = refusalSchema.safeParse(body);
  return refusal.success ? { kind: 'refused', code: refusal.data.code, message: refusal.data.message } : null;
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
