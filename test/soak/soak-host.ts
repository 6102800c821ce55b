import { join } from 'node:path';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { openReadOnly } from '../../src/main/store/database.ts';
import { verifyJournal } from '../../src/main/store/journal-rows.ts';
import type { ChildOptions } from '../harness/child-host.ts';
import { HostProcess } from '../harness/host-process.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import type { SoakAgent } from './soak-agent.ts';

interface Answer<Value> {
  readonly ok: boolean;
  readonly value?: Value;
  readonly error?: { readonly code: string };
}

/** How long a host is started again while its register is in use: longer than any freeze of the other one, ms. */
const BUSY_LIMIT_MS = 30_000;

/** One device through all its lives: its profile stays, its processes come and go. */
export class SoakHost {
  readonly name: string;
  readonly profileFolder = temporaryFolder();
  readonly #registerFile: string;
  /** Runs that this host said it had begun. None of them may ever be missing from its record. */
  readonly acknowledged = new Set<string>();
  readonly #saved = new Set<string>();
  #process: HostProcess | null = null;
  kills = 0;

  constructor(name: string, registerFile: string) {
    this.name = name;
    this.#registerFile = registerFile;
  }

  /** The running process; `null` while there is none. */
  get process(): HostProcess | null {
    return this.#process;
  }

  /** Another life, which may end or freeze by itself at a point. False if it ended before it was ready. */
  async start(of: { readonly crashAt?: CrashPoint; readonly freezeAt?: CrashPoint } = {}): Promise<boolean> {
    const options = { profileFolder: this.profileFolder, registerFile: this.#registerFile, ...of };
    const started = await this.#begin(options);
    if (started instanceof Error) {
      // Work left over from its last life brought it to its point at once. Anything else is a host that cannot start.
      if (of.crashAt === undefined || !started.message.includes('SIGKILL')) {
        throw new Error(`${this.name}: ${started.message}`);
      }
      this.kills += 1;
      return false;
    }
    this.#process = started;
    void started.exited.then(({ signal }) => {
      if (signal === 'SIGKILL') this.kills += 1;
      if (this.#process === started) this.#process = null;
    });
    return true;
  }

  /** The other host may be frozen in the middle of a change of the register that both share; a person would try again. */
  async #begin(options: ChildOptions): Promise<HostProcess | Error> {
    const untilMs = performance.now() + BUSY_LIMIT_MS;
    for (;;) {
      const started = await HostProcess.start(options).catch((cause: unknown) => cause as Error);
      const isBusy = started instanceof Error && started.cause === 'store-busy';
      if (!isBusy || performance.now() > untilMs) return started;
    }
  }

  async kill(): Promise<void> {
    const process = this.#process;
    process?.kill();
    await process?.exited;
  }

  /** Starts a run, or does nothing if the host dies over it: then nobody was told anything. */
  async trigger(agent: SoakAgent, requestId: string): Promise<void> {
    const process = this.#process;
    if (process === null) return;
    try {
      await this.#save(process, agent);
      const request = { agentId: agent.agentId, requestId, input: { occurrence: requestId }, by: 'Soak' };
      const answer = (await process.control('startRun', request)) as Answer<{ runId: string }>;
      if (answer.ok && answer.value !== undefined) this.acknowledged.add(answer.value.runId);
    } catch {
      // It was killed, or frozen for too long.
    }
  }

  /** Rows of its record; none while it cannot answer. */
  async rows<Row>(sql: string): Promise<readonly Row[]> {
    return (await this.#process?.rows<Row>(sql).catch(() => [])) ?? [];
  }

  /** Ends it in good order and checks its journal; answers with what is wrong, or `null`. */
  async end(): Promise<string | null> {
    await this.#process?.drain();
    return this.verify();
  }

  /** Checks every link of its journal while no process has it open. */
  verify(): string | null {
    const opened = openReadOnly(join(this.profileFolder, 'fencepost.sqlite'));
    if (!opened.ok) return opened.error.message;
    const db = opened.value;
    try {
      const row = db.prepare(`SELECT value FROM profile WHERE key = 'device-id'`).get() as { value: string };
      const found = verifyJournal(db, row.value);
      return found === null ? null : `${this.name}: ${JSON.stringify(found)}`;
    } finally {
      db.close();
    }
  }

  async #save(process: HostProcess, agent: SoakAgent): Promise<void> {
    if (this.#saved.has(agent.agentId)) return;
    const answer = (await process.save(agent.file)) as Answer<unknown>;
    if (!answer.ok) throw new Error(answer.error?.code);
    this.#saved.add(agent.agentId);
  }
}
