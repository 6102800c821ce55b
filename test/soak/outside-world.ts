import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Random } from '../harness/random.ts';

/** The longest that a healthy answer takes, ms. */
const ANSWER_LIMIT_MS = 150;
/** A slow answer takes between these, ms: longer than the call waits for it. */
const SLOW_FROM_MS = 1_600;
const SLOW_TO_MS = 2_600;

/** One effect: a path that nothing else uses. */
export interface CountedEffect {
  /** How often it was done. With keys: how many different keys it was done under. */
  readonly done: number;
  /** How often a person allowed to do it once more. */
  readonly approvals: number;
}

/** A doubled effect: where, and how it was counted. */
export interface Doubled extends CountedEffect {
  readonly path: string;
}

/**
 * The receiver of all effects, outside every host. It counts an effect when it arrives, whatever becomes of the answer, and
 * is as unreliable as a network: answers are slow, cut off, or never begun. What was cut off before it arrived is not done.
 */
export class OutsideWorld {
  readonly #server: Server;
  readonly #random: Random;
  readonly #done = new Map<string, number>();
  readonly #keys = new Map<string, Set<string>>();
  /** Attempts whose repetition was allowed, by path. */
  readonly #approvals = new Map<string, Set<string>>();
  readonly doubled: Doubled[] = [];

  private constructor(server: Server, random: Random) {
    this.#server = server;
    this.#random = random;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(random: Random): Promise<OutsideWorld> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OutsideWorld(server, random);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** All effects done so far, at whatever path. */
  get effects(): number {
    let sum = 0;
    for (const done of this.#done.values()) sum += done;
    return sum;
  }

  look(path: string): CountedEffect {
    return { done: this.#done.get(path) ?? 0, approvals: this.#approvals.get(path)?.size ?? 0 };
  }

  /** A person is about to allow a repetition, bound to the attempt that it replaces. Counted before it is told to any host. */
  approve(path: string, attemptToken: string): void {
    const approved = this.#approvals.get(path) ?? new Set();
    this.#approvals.set(path, approved.add(attemptToken));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      response.writeHead(this.look(path).done > 0 ? 200 : 404).end('{}');
      return;
    }
    const fate = this.#random.next();
    if (fate < 0.04) {
      request.socket.destroy();
      return;
    }
    this.#count(path, request.headers['idempotency-key']);
    if (fate < 0.1) {
      request.socket.destroy();
      return;
    }
    await setTimeout(
      fate < 0.14 ? this.#random.between(SLOW_FROM_MS, SLOW_TO_MS) : this.#random.between(0, ANSWER_LIMIT_MS),
    );
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  }

  #count(path: string, key: string | string[] | undefined): void {
    const isKeyed = path.startsWith('/keyed');
    const keys = this.#keys.get(path) ?? new Set();
    if (isKeyed && typeof key === 'string' && keys.has(key)) return;
    if (isKeyed) this.#keys.set(path, keys.add(String(key)));
    this.#done.set(path, (this.#done.get(path) ?? 0) + 1);
    const counted = this.look(path);
    if (counted.done > 1 + counted.approvals) this.doubled.push({ path, ...counted });
  }
}
