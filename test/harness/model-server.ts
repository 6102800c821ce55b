import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { anthropicDialect, openaiDialect } from './model-dialects.ts';
import type { Dialect, Events, ScriptedAnswer } from './model-dialects.ts';

/** One request as the endpoint of a model saw it. */
export interface ModelRequest {
  readonly protocol: 'openai' | 'anthropic' | 'unknown';
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  /** The body as JSON; `{}` where it is none. */
  readonly body: { readonly [name: string]: unknown };
}

/** An answer, or what makes one out of the request. */
export type Script = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer);

const DIALECTS: Readonly<Record<ModelRequest['protocol'], Dialect>> = {
  openai: openaiDialect,
  anthropic: anthropicDialect,
  unknown: openaiDialect,
};
/** An answer that nobody scripted is an error that is not worth a retry. */
const UNSCRIPTED: ScriptedAnswer = {
  status: 400,
  error: { type: 'invalid_request_error', message: 'No answer was scripted for this request.' },
};

/**
 * A loopback endpoint of models that says what it was told to say. It speaks OpenAI's chat completions below
 * `openaiBaseUrl` and Anthropic's messages below `anthropicBaseUrl`, as a stream or at once, and counts requests.
 *
 *     const server = await ModelServer.start();
 *     server.script({ calls: [{ name: 'look', arguments: '{"at":1}' }] }, { text: 'Done.' });
 *     …
 *     expect(server.requests).toHaveLength(2);
 *     await server.close();
 */
export class ModelServer {
  readonly #server: Server;
  readonly #scripts: Script[] = [];
  readonly #waiting = new Set<() => void>();
  /** Every request that came in whole, in order. */
  readonly requests: ModelRequest[] = [];
  /** Answers whatever comes after the scripts. */
  otherwise: Script = UNSCRIPTED;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** Starts a server on a port of its own. */
  static async start(): Promise<ModelServer> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ModelServer(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openaiBaseUrl(): string {
    return `${this.origin}/v1`;
  }

  get anthropicBaseUrl(): string {
    return this.origin;
  }

  /** Adds answers; each request takes the next one. */
  script(...scripts: readonly Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** Resolves once so many requests have come in. */
  async received(count: number): Promise<void> {
    while (this.requests.length < count) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Hangs up on everybody and stops. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    this.requests.push(request);
    const script = this.#scripts.shift() ?? this.otherwise;
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
    const answer = typeof script === 'function' ? script(request) : script;
    await answer.after;
    await giveAnswer({ request, answer, response });
  }
}

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const path = incoming.url ?? '/';
  return { protocol: protocolOf(path), path, headers: incoming.headers, text, body: parse(text) };
}

function protocolOf(path: string): ModelRequest['protocol'] {
  if (path.endsWith('/chat/completions')) return 'openai';
  return path.endsWith('/v1/messages') ? 'anthropic' : 'unknown';
}

function parse(text: string): ModelRequest['body'] {
  try {
    return JSON.parse(text) as ModelRequest['body'];
  } catch {
    return {};
  }
}

interface Exchange {
  readonly request: ModelRequest;
  readonly answer: ScriptedAnswer;
  readonly response: ServerResponse;
}

async function giveAnswer({ request, answer, response }: Exchange): Promise<void> {
  const dialect = DIALECTS[request.protocol];
  const model = typeof request.body['model'] === 'string' ? request.body['model'] : 'no-model';
  if (answer.fault === 'hang') return;
  if (answer.fault === 'refuse') return void response.socket?.destroy();
  if (answer.status !== undefined) {
    const error = answer.error ?? { type: 'server_error', message: `status ${answer.status}` };
    // Headers that tempt an SDK to ask again at once.
    const tempting = { 'x-should-retry': 'true', 'retry-after': '0', 'retry-after-ms': '1' };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...tempting, ...answer.headers });
    return void response.end(JSON.stringify(dialect.errorBody(error)));
  }
  if (answer.fault === 'wrong-content-type') {
    response.writeHead(200, { 'content-type': 'text/html', ...answer.headers });
    return void response.end('<html>Please sign in to this network.</html>');
  }
  if (request.body['stream'] !== true) {
    response.writeHead(200, { 'content-type': 'application/json', ...answer.headers });
    return void response.end(JSON.stringify(dialect.whole(answer, model)));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...answer.headers });
  await streamAnswer(dialect.events(answer, model), { answer, response });
}

async function streamAnswer(events: Events, { answer, response }: Omit<Exchange, 'request'>): Promise<void> {
  const write = async (event: string | Buffer): Promise<void> => {
    if (answer.pieceEveryMs !== undefined) await wait(answer.pieceEveryMs);
    const bytes = Buffer.from(event);
    const size = answer.bytesPerWrite ?? Math.max(1, bytes.length);
    for (let at = 0; at < bytes.length; at += size) await writeBytes(response, bytes.subarray(at, at + size));
  };
  if (answer.raw !== undefined) return await write(answer.raw);
  for (const event of events.said) await write(event);
  switch (answer.fault) {
    case 'cut':
      return void response.socket?.destroy();
    case 'stall':
      return;
    case 'end':
      return void response.end();
    case 'garbage':
      await write(events.garbage);
      break;
    case 'wrong-shape':
      await write(events.wrongShape);
      break;
    case 'error':
      await write(events.error);
      break;
    case 'invalid-utf8':
      await write(damaged(events.more));
      break;
    case 'endless':
      while (!response.destroyed) await write(events.more);
      return;
    case 'endless-line':
      await write('data: ');
      while (!response.destroyed) await write('x'.repeat(65_536));
      return;
    default:
      break;
  }
  for (const event of events.ending) await write(event);
  response.end();
}

/** The same event with a byte in its text that begins no character. */
function damaged(event: string): Buffer {
  const bytes = Buffer.from(event);
  bytes[bytes.indexOf('more')] = 0xff;
  return bytes;
}

/** Resolves once the bytes are on their way, or nobody reads any more. */
function writeBytes(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(bytes, done);
  });
}
