import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { Answer, RequestOf, Route } from '../../src/shared/contract/api.ts';
import type { HostControl, LeaseStatus } from '../../src/main/host/control.ts';
import type { ChildOptions, ChildRequest } from './child-host.ts';

type WithoutId<Request> = Request extends unknown ? Omit<Request, 'id'> : never;

/** How long a child may take to answer before a test gives up on it, ms. */
const ANSWER_LIMIT_MS = 120_000;

/** Two looks of the loop while a run is open, and some time to act upon them, ms. */
const ACTS_WITHIN_MS = 1_500;

/** A real host process, held by its parent. */
export class HostProcess {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (cause: Error) => void }>();
  #lastId = 0;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  private constructor(child: ChildProcess) {
    this.child = child;
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    child.on('message', (message) => {
      const reply = message as { id?: number; value?: unknown; failure?: string };
      if (reply.id === undefined) return;
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if (reply.failure === undefined) waiting?.resolve(reply.value);
      else waiting?.reject(new Error(reply.failure));
    });
    void this.exited.then(() => {
      for (const waiting of this.#waiting.values()) waiting.reject(new Error('The host process has ended.'));
      this.#waiting.clear();
    });
  }

  /** Starts a host and waits until it is ready; fails with its own sentence if it cannot start. */
  static async start(options: ChildOptions): Promise<HostProcess> {
    const file = fileURLToPath(new URL('child-host.ts', import.meta.url));
    const child = fork(file, [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
    });
    const host = new HostProcess(child);
    const first = await new Promise<{ kind: string; problem?: Problem }>((resolve) => {
      child.once('message', (message) => resolve(message as { kind: string; problem?: Problem }));
      void host.exited.then(({ code, signal }) => resolve({ kind: `exited with ${code ?? signal}` }));
    });
    if (first.kind !== 'ready') {
      const { problem } = first;
      throw new Error(problem?.message ?? `The host did not start: ${first.kind}`, { cause: problem?.code });
    }
    return host;
  }

  #ask(request: WithoutId<ChildRequest>): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`No answer to ${request.call} within ${ANSWER_LIMIT_MS} ms.`)),
        ANSWER_LIMIT_MS,
      );
      this.#waiting.set(id, {
        resolve: (value) => (clearTimeout(limit), resolve(value)),
        reject: (cause) => (clearTimeout(limit), reject(cause)),
      });
      this.child.send({ ...request, id }, (failed) => {
        if (failed !== null) this.#waiting.get(id)?.reject(failed);
      });
    });
  }

  save(file: string): Promise<unknown> {
    return this.#ask({ call: 'save', file, authorise: true });
  }

  async call<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>> {
    return (await this.#ask({ call: 'route', route, request })) as Answer<R>;
  }

  /** Calls the host's control directly, as a door in its own process would. */
  control(name: keyof HostControl, ...parameters: readonly unknown[]): Promise<unknown> {
    return this.#ask({ call: 'control', name, parameters });
  }

  async rows<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row[]> {
    return (await this.#ask({ call: 'rows', sql, parameters })) as Row[];
  }

  /** Asks until `check` is content with the rows. */
  async until<Row>(sql: string, check: (rows: Row[]) => boolean, limitMs = 150_000): Promise<Row[]> {
    const until = Date.now() + limitMs;
    for (;;) {
      const rows = await this.rows<Row>(sql);
      if (check(rows)) return rows;
      if (Date.now() > until) throw new Error(`Not reached in ${limitMs} ms: ${sql}\nlast: ${JSON.stringify(rows)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /**
   * Waits until this host may act for an agent, the hold-off over, and then so long that it would have acted. Before that,
   * a step that is repeated or looked for by itself looks like one that waits for a person.
   */
  async hasActed(agentId: string): Promise<void> {
    const until = Date.now() + ANSWER_LIMIT_MS;
    for (;;) {
      const { held } = (await this.control('leaseStatus', agentId)) as LeaseStatus;
      if (held?.standing.kind === 'live') break;
      if (Date.now() > until) throw new Error(`No right to act for ${agentId}: ${JSON.stringify(held)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await new Promise((resolve) => setTimeout(resolve, ACTS_WITHIN_MS));
  }

  async drain(): Promise<unknown> {
    const drained = await this.#ask({ call: 'drain' });
    this.child.disconnect();
    await this.exited;
    return drained;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): boolean {
    return this.child.kill(signal);
  }
}
