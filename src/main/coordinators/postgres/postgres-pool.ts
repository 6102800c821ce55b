import { PostgresSilentError } from './postgres-connection.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/** A connection that nobody used for so long is closed; firewalls forget such ones without a word. */
const IDLE_LIMIT_MS = 30_000;

interface Waiting {
  go(): void;
}

/** A few connections, lent one at a time and in the order of asking. */
export class PostgresPool {
  readonly #open: (untilMs: number) => Promise<PostgresConnection>;
  readonly #waiting: Waiting[] = [];
  #idle: PostgresConnection[] = [];
  #free: number;
  #isClosed = false;

  constructor(open: (untilMs: number) => Promise<PostgresConnection>, limit: number) {
    this.#open = open;
    this.#free = limit;
  }

  /**
   * Lends a connection for `work`. One that is not usable afterwards is not lent again.
   * @throws PostgresSilentError when none became free in time; whatever opening or `work` throw
   */
  async lend<Value>(untilMs: number, work: (connection: PostgresConnection) => Promise<Value>): Promise<Value> {
    await this.#turn(untilMs);
    let connection: PostgresConnection | undefined;
    try {
      connection = this.#takeIdle() ?? (await this.#open(untilMs));
      return await work(connection);
    } finally {
      if (connection !== undefined) this.#putBack(connection);
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.go();
    }
  }

  /** What is idle ends now, what is lent as soon as it comes back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = this.#idle.splice(0);
    await Promise.all(idle.map((connection) => connection.end()));
  }

  async #turn(untilMs: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        go: () => {
          clearTimeout(limit);
          resolve();
        },
      };
      const limit = setTimeout(
        () => {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
          reject(new PostgresSilentError('No connection became free in time.'));
        },
        Math.max(0, untilMs - performance.now()),
      );
      this.#waiting.push(waiting);
    });
  }

  #takeIdle(): PostgresConnection | undefined {
    this.#sweep();
    return this.#idle.pop();
  }

  #putBack(connection: PostgresConnection): void {
    if (!connection.isUsable) return;
    if (this.#isClosed) connection.destroy();
    else this.#idle.push(connection);
  }

  #sweep(): void {
    const now = performance.now();
    const isFresh = (connection: PostgresConnection): boolean =>
      connection.isUsable && now - connection.lastUsedMs < IDLE_LIMIT_MS;
    for (const connection of this.#idle) if (!isFresh(connection)) connection.destroy();
    this.#idle = this.#idle.filter(isFresh);
  }
}
