import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before a tool server that speaks streamable HTTP, hands everything on as it is, and counts the calls. */
export class WebTap {
  readonly calls: string[] = [];
  /** What happens once a call has been handed on. */
  onCall: (name: string) => void = () => undefined;
  readonly #server: http.Server;

  private constructor(port: number) {
    this.#server = http.createServer((request, response) => void this.#pass(port, request, response));
  }

  static async start(port: number): Promise<WebTap> {
    const tap = new WebTap(port);
    await new Promise<void>((resolve) => tap.#server.listen(0, '127.0.0.1', resolve));
    return tap;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(port: number, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url, headers } = request;
    const place = { host: '127.0.0.1', port, method, path: url, headers, agent: false };
    const onward = http.request(place, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    const name = calledTool(Buffer.concat(chunks).toString('utf8'));
    onward.end(Buffer.concat(chunks), () => {
      if (name === null) return;
      this.calls.push(name);
      this.onCall(name);
    });
  }
}

function calledTool(body: string): string | null {
  return /"method":"tools\/call".*?"name":"([^"]+)"/u.exec(body)?.[1] ?? null;
}
