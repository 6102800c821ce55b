import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { forkWithin } from '../harness/fork-within.ts';
import type { ClientNotice, ClientOptions, ClientOrder } from './register-client.ts';

/** How long a client may take to begin or to end, ms. */
const CLIENT_LIMIT_MS = 60_000;

/** One life of one client. */
export class ClientProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<void>;
  isAlive = true;
  isReady = false;
  isStopped = false;
  #orderedRound = -1;
  #doneRound = -1;
  readonly #listeners = new Set<() => void>();

  constructor(options: ClientOptions, within: readonly string[] = []) {
    const program = fileURLToPath(new URL('register-client.ts', import.meta.url));
    this.#child = forkWithin(program, [JSON.stringify(options)], { within });
    this.exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    void this.exited.then(() => {
      this.isAlive = false;
      this.#tellAll();
    });
    this.#child.on('message', (message) => {
      const notice = message as ClientNotice;
      if (notice.kind === 'ready') this.isReady = true;
      else this.#doneRound = notice.round;
      this.#tellAll();
    });
  }

  /** Resolves when it can take orders; false if it ended before. */
  async ready(): Promise<boolean> {
    await this.#until(() => this.isReady || !this.isAlive, 'begin');
    return this.isAlive;
  }

  /** Resolves when it has finished a round, or ended. */
  done(round: number): Promise<void> {
    return this.#until(() => this.#doneRound >= round || !this.isAlive, `end round ${round}`);
  }

  send(order: ClientOrder): void {
    // Nobody plays a round twice: its names would not be unique.
    if (order.kind === 'round' && order.round === this.#orderedRound) return;
    if (order.kind === 'round') this.#orderedRound = order.round;
    // A client that was just killed does not hear it, which is as good.
    if (this.isAlive && this.#child.connected) this.#child.send(order, () => {});
  }

  stop(): void {
    this.isStopped = this.isAlive && this.#child.kill('SIGSTOP');
  }

  wake(): void {
    if (this.isStopped) this.#child.kill('SIGCONT');
    this.isStopped = false;
  }

  /** From now on it is nobody to work with, although its end is only heard of later. */
  kill(): Promise<void> {
    this.isReady = false;
    this.#child.kill('SIGKILL');
    return this.exited;
  }

  #until(check: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (check()) {
        resolve();
        return;
      }
      const limit = setTimeout(() => reject(new Error(`A client did not ${what}.`)), CLIENT_LIMIT_MS);
      const listener = (): void => {
        if (!check()) return;
        clearTimeout(limit);
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }

  #tellAll(): void {
    for (const listener of this.#listeners) listener();
  }
}
