import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the outside world saw it. */
export interface Received {
  readonly path: string;
  readonly method: string;
  readonly key: string | null;
  readonly epoch: string | null;
  readonly body: string;
  readonly atMs: number;
}

/** What the receiver does with a request besides counting it. */
export type Behaviour = 'answer' | 'hang' | 'cut' | 'refuse';

/**
 * The outside world of the tests: an independent counter of effects in another process than the host under test. It
 * honours idempotency keys on `/keyed/…` and can be asked on `GET` what it has.
 */
export class Receiver {
  readonly #server: Server;
  readonly received: Received[] = [];
  readonly #byKey = new Map<string, number>();
  behaviour: (request: Received) => Behaviour = () => 'answer';
  /** What an answer waits for, after the request was counted. */
  answerAfter: (request: Received) => Promise<unknown> = () => Promise.resolve();
  readonly #listeners = new Set<(received: Received) => void>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Receiver(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How many requests with an effect reached a path. */
  hits(path: string): number {
    return this.received.filter((each) => each.path === path && each.method !== 'GET').length;
  }

  /** How many distinct effects a path has after duplicates by key were recognised. */
  effects(path: string): number {
    const hits = this.received.filter((each) => each.path === path && each.method !== 'GET');
    if (!path.startsWith('/keyed/')) return hits.length;
    return new Set(hits.map((each) => each.key)).size;
  }

  /** Resolves with the next request that matches. */
  next(matches: (received: Received) => boolean): Promise<Received> {
    return new Promise((resolve) => {
      const listener = (received: Received): void => {
        if (!matches(received)) return;
        this.#listeners.delete(listener);
        resolve(received);
      };
      this.#listeners.add(listener);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received: Received = {
      path: (request.url ?? '/').split('?')[0] ?? '/',
      method: request.method ?? 'GET',
      key: (request.headers['idempotency-key'] as string | undefined) ?? null,
      epoch: (request.headers['fencepost-epoch'] as string | undefined) ?? null,
      body: Buffer.concat(chunks).toString('utf8'),
      atMs: Date.now(),
    };
    this.received.push(received);
    for (const listener of this.#listeners) listener(received);
    if (received.method === 'GET') {
      // A page is there; an effect is there once it has arrived.
      const isEffect = /^\/(?:blind|keyed|verifiable|read-only|compensable)\//u.test(received.path);
      response.writeHead(!isEffect || this.hits(received.path) > 0 ? 200 : 404).end('{}');
      return;
    }
    const behaviour = this.behaviour(received);
    await this.answerAfter(received);
    if (behaviour === 'cut') request.socket.destroy();
    if (behaviour === 'refuse') response.writeHead(503).end('{"error":"not now"}');
    if (behaviour !== 'answer') return;
    if (received.key !== null) this.#byKey.set(received.key, (this.#byKey.get(received.key) ?? 0) + 1);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  }

  /** Ends every connection: whoever still waits for an answer gets none. */
  cutAll(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
