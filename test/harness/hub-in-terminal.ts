import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ResponseOf } from '../../src/shared/contract/api.ts';
import type { JoiningView } from '../../src/shared/contract/coordinator-views.ts';
import type { HostProcess } from './host-process.ts';

const ENTRY = fileURLToPath(new URL('../../src/main/cli/index.ts', import.meta.url));
/** How long one step of a pairing may take before a test gives up, ms; and how often it is looked for. */
const LIMIT_MS = 45_000;
const LOOK_MS = 50;

/** The real `fencepost hub` in a process of its own, spoken to as a person in its terminal would. */
export class HubProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<unknown>;
  #said = '';

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.exited = new Promise((resolve) => child.once('exit', resolve));
    child.stdout.on('data', (chunk: Buffer) => (this.#said += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (this.#said += chunk.toString('utf8')));
  }

  /** Starts it in a folder; on a port of the system's choice unless one is named. */
  static async start(folder: string, port = 0): Promise<HubProcess> {
    const args = ['hub', '--folder', folder, '--port', String(port), '--host', '127.0.0.1', '--interactive'];
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ENTRY, ...args]);
    const hub = new HubProcess(child);
    await hub.#until('it runs', () => /The hub runs on port \d+/u.test(hub.#said));
    return hub;
  }

  get port(): number {
    return Number(/The hub runs on port (\d+)/u.exec(this.#said)?.[1]);
  }

  /** Makes a new invitation; answers its link. */
  async invite(): Promise<string> {
    const before = this.#links().length;
    this.child.stdin.write('invite\n');
    await this.#until('there is a new link', () => this.#links().length > before);
    return this.#links().at(-1) ?? '';
  }

  /** What a person does who has compared the words. */
  async letIn(words: readonly string[]): Promise<void> {
    await this.#until('the same words are shown', () => this.#said.includes(words.join(' ')));
    this.child.stdin.write('y\n');
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.child.kill(signal);
  }

  async stop(): Promise<void> {
    this.child.stdin.write('stop\n');
    await this.exited;
  }

  #links(): string[] {
    return this.#said.match(/fencepost-pair:[\w-]+/gu) ?? [];
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const limitMs = performance.now() + LIMIT_MS;
    while (!isSo()) {
      const isOver = performance.now() > limitMs || this.child.exitCode !== null;
      if (isOver) throw new Error(`The hub did not get so far that ${what}. It said:\n${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** A host's one API, through whichever door. */
export type Caller = Pick<HostProcess, 'call'>;

/** Pairs a host with a hub and moves its agents there, step by step as its window would. */
export async function useHub(host: Caller, hub: HubProcess): Promise<void> {
  const joined = await host.call('devices.join', { link: await hub.invite() });
  if (!joined.ok) throw new Error(joined.error.message);
  const { words } = await joining(host, 'compares');
  await hub.letIn(words);
  await joining(host, 'paired');
  const moving = await host.call('coordinator.move', { choice: { kind: 'hub' } });
  if (!moving.ok) throw new Error(moving.error.message);
  const isMoved = ({ move }: ResponseOf<'coordinator.get'>): boolean => move !== null && move.state !== 'running';
  const { move } = await poll(() => host.call('coordinator.get', {}), isMoved);
  if (move?.state !== 'done') throw new Error(`The move came to nothing: ${move?.sentence}`);
}

async function joining(host: Caller, state: JoiningView['state']): Promise<JoiningView> {
  const isThere = (view: ResponseOf<'devices.list'>): boolean => {
    const now = view.joining?.state;
    if (now === 'failed' || now === 'refused') throw new Error(`Not paired: ${view.joining?.sentence}`);
    return now === state;
  };
  const { joining: found } = await poll(() => host.call('devices.list', {}), isThere);
  if (found === null) throw new Error('Nothing is joined.');
  return found;
}

async function poll<Value>(
  ask: () => Promise<
    { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: Error | object }
  >,
  isThere: (value: Value) => boolean,
): Promise<Value> {
  const limitMs = performance.now() + LIMIT_MS;
  for (;;) {
    const answer = await ask();
    if (answer.ok && isThere(answer.value)) return answer.value;
    if (performance.now() > limitMs) throw new Error(`Not reached: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
