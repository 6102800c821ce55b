import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { WebSocket } from 'ws';
import { openHeadlessServer } from '../../src/main/headless/server.ts';
import type { HeadlessServer } from '../../src/main/headless/server.ts';
import { createFakeApplication, createMemoryLog } from './fake-application.ts';
import type { FakeApplication } from './fake-application.ts';

/** The limits of these tests: times short enough to wait for. */
export const QUICK = {
  headersMs: 600,
  requestMs: 600,
  checkEveryMs: 50,
  keepAliveMs: 600,
  idleConnections: 16,
  pingEveryMs: 200,
};

/** A digest that the contract takes. */
export const DIGEST = 'a'.repeat(64);

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

type AskOptions = { method?: string; headers?: http.OutgoingHttpHeaders; body?: string };
type Headers = Readonly<Record<string, string>>;

/** The real server of the browser's door, before a fake application; a fresh one for each test. */
export class HeadlessBench {
  readonly application: FakeApplication;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly server: HeadlessServer;

  private constructor(server: HeadlessServer, of: Pick<HeadlessBench, 'application' | 'log'>) {
    this.server = server;
    this.application = of.application;
    this.log = of.log;
  }

  static async open(rendererFolder: string): Promise<HeadlessBench> {
    const of = { application: createFakeApplication(), log: createMemoryLog() };
    const opened = await openHeadlessServer({ ...of, rendererFolder, port: 0, limits: QUICK });
    if (!opened.ok) throw new Error(opened.error.message);
    return new HeadlessBench(opened.value, of);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  newToken(): string {
    return tokenOf(this.server.newLink());
  }

  /** Node's own client: `fetch` would not let a test forge `Host`. */
  ask(target: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<Reply> {
    const where = { host: '127.0.0.1', port: this.server.port, path: target, method, headers, agent: false };
    return new Promise((resolve, reject) => {
      const request = http.request(where, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      });
      request.once('error', reject).end(body);
    });
  }

  signIn(token: string, headers: http.OutgoingHttpHeaders = { origin: this.origin }): Promise<Reply> {
    return this.ask('/session', { method: 'POST', headers, body: token });
  }

  async cookie(): Promise<string> {
    const answer = await this.signIn(this.newToken());
    return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  }

  /** What an attempt at the socket ends with: the refusal's status, or the open socket. */
  connect(headers: Headers, target = '/bridge'): Promise<WebSocket | number> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.server.port}${target}`, { headers });
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket));
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      socket.once('error', reject);
    });
  }

  async openSocket(cookie?: string): Promise<WebSocket> {
    const socket = await this.connect({ cookie: cookie ?? (await this.cookie()), origin: this.origin });
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
    return socket;
  }
}

/** The token in a link. */
export function tokenOf(link: string): string {
  return link.split('#', 2)[1] ?? '';
}

/** The next message that a page is sent. */
export function nextMessage(socket: WebSocket): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')) as Record<string, unknown>));
  });
}

/** Opens a bench before each test of a file and closes it afterwards. */
export function useHeadlessBench(): () => HeadlessBench {
  let folder = '';
  let bench: HeadlessBench | undefined;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'fencepost-headless-'));
    mkdirSync(path.join(folder, 'assets'));
    writeFileSync(path.join(folder, 'index.html'), 'the window');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    bench = await HeadlessBench.open(folder);
  });
  afterEach(() => bench?.server.close());
  return () => {
    if (bench === undefined) throw new Error('The bench is open within a test only.');
    return bench;
  };
}
