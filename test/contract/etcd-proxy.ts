import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** One request on its way to etcd. */
export interface Passing {
  readonly path: string;
  readonly body: string;
}

/**
 * What befalls a request. `drop-answer`: etcd does it, and the connection breaks before anybody is told. `drop-request`: the
 * connection breaks first. `answer`: somebody else answers in its place.
 */
export type Fate =
  | { readonly kind: 'drop-answer' | 'drop-request' }
  /** `body`: as it arrives there, where that is not what was sent. */
  | { readonly kind: 'pass'; readonly body?: string }
  | { readonly kind: 'answer'; readonly body: object };

export const PASS: Fate = { kind: 'pass' };

/** Stands between a register and a member of etcd. */
export class EtcdProxy {
  /** Everything that came by, in order. */
  readonly seen: Passing[] = [];
  /** Decides about each request; may do something first. */
  fate: (request: Passing) => Fate | Promise<Fate> = () => PASS;
  readonly #member: { readonly url: string };
  readonly #server: Server;

  private constructor(member: { readonly url: string }) {
    this.#member = member;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(member: { readonly url: string }): Promise<EtcdProxy> {
    const proxy = new EtcdProxy(member);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async end(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    this.seen.push({ path, body });
    const fate = await this.fate({ path, body });
    if (fate.kind === 'answer') {
      response.end(JSON.stringify(fate.body));
      return;
    }
    if (fate.kind === 'drop-request') {
      request.socket.destroy();
      return;
    }
    try {
      const sent = fate.kind === 'pass' ? (fate.body ?? body) : body;
      const answer = await fetch(new URL(path, this.#member.url), { method: 'POST', body: sent });
      const text = await answer.text();
      if (fate.kind === 'drop-answer') request.socket.destroy();
      else response.writeHead(answer.status).end(text);
    } catch {
      request.socket.destroy();
    }
  }
}
