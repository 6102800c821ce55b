import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A target at which an effect is there only when the test says so, long after it was asked for; whoever still listens. */
export class LateTarget {
  readonly #server: Server;
  readonly #arrivals: (() => void)[] = [];
  /** How many effects are there. */
  effects = 0;
  /** How often one was asked for that is not there yet. */
  asked = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      if (request.method === 'GET') {
        response.writeHead(this.effects > 0 ? 200 : 404).end('{}');
        return;
      }
      this.asked += 1;
      this.#arrivals.push(() => {
        this.effects += 1;
        response.writeHead(200).end('{}');
      });
    });
  }

  static async start(): Promise<LateTarget> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LateTarget(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/pay`;
  }

  /** What was asked for so far is there. */
  arrive(): void {
    for (const arrival of this.#arrivals.splice(0)) arrival();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
