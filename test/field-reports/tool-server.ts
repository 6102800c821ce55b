import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of the tool `pay`, as the server saw it. */
interface ServerCall {
  /** The id of the request: a client mints a new one for every try. */
  readonly transportId: string;
  readonly effectId: string;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly [member: string]: unknown };
}

/** A tool server (MCP over HTTP) that counts what its one tool does, and can hang up instead of answering. */
export class ToolServer {
  readonly #server: Server;
  readonly calls: ServerCall[] = [];
  /** Whether the next calls are answered; their effect happens all the same. */
  answers = true;
  /** What the tool says. */
  text = 'Paid.';
  #sessions = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ToolServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ToolServer(server);
  }

  /** Its host and port, as a scope names them. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/mcp`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = this.#result(message, String(request.headers['mcp-session-id'] ?? ''));
    if (result === null) return void request.socket.destroy();
    if (message.method === 'initialize') response.setHeader('mcp-session-id', `session-${(this.#sessions += 1)}`);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  #result({ id, method, params }: Message, session: string): object | null {
    if (method === 'initialize') {
      const serverInfo = { name: 'bank', version: '1.0.0' };
      return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    if (method === 'tools/list') return { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] };
    if (method !== 'tools/call') return {};
    const meta = params?.['_meta'] as { 'fencepost/effectId'?: string } | undefined;
    this.calls.push({ transportId: `${session}/${id}`, effectId: meta?.['fencepost/effectId'] ?? '' });
    return this.answers ? { content: [{ type: 'text', text: this.text }] } : null;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
