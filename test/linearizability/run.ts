import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createHostClock } from '../../src/main/host/clock.ts';
import { Random } from '../harness/random.ts';
import { ClientProcess } from './client-process.ts';
import { machineMs } from './history.ts';
import type { Operation } from './history.ts';
import { readRecordings } from './recording.ts';

/** A register and its clients, for one run. */
export interface RunOptions {
  /** Exports `openCoordinator`; loaded by each client process. */
  readonly module: URL;
  readonly variant: string | null;
  readonly place: string;
  readonly seed: number;
  readonly processes: number;
  /** Callers within each process. */
  readonly lanes: number;
  readonly rounds: number;
  readonly agentsPerRound: number;
  readonly roundMs: number;
  /** Whether a restart of the machine is something that this register sees. */
  readonly canReboot: boolean;
  /** What the process of a client is put behind, such as a command that moves it to another machine. */
  readonly within?: (client: number) => readonly string[];
}

/** What was done to the clients of a run. */
interface RunFigures {
  kills: number;
  stops: number;
  'clock steps': number;
  reboots: number;
}

export interface RunRecord {
  readonly operations: readonly Operation[];
  readonly figures: RunFigures;
}

interface Round {
  readonly number: number;
  readonly agents: readonly string[];
  readonly endsAtMs: number;
}

/** Starts the clients, lets them work while they are stopped, killed and misled about the time, and collects what they saw. */
export async function runClients(options: RunOptions): Promise<RunRecord> {
  const run = new Run(options);
  try {
    return await run.all();
  } finally {
    await run.end();
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #random: Random;
  readonly #recordings = mkdtempSync(join(tmpdir(), 'fencepost-linearizability-'));
  readonly #clients: ClientProcess[] = [];
  readonly #lives: number[] = [];
  readonly #figures: RunFigures = { kills: 0, stops: 0, 'clock steps': 0, reboots: 0 };
  readonly #reboots: Operation[] = [];
  /** Clients that are being started again. */
  #pending: Promise<unknown>[] = [];
  #round: Round = { number: -1, agents: [], endsAtMs: 0 };
  #boot: { readonly bootId: string | null; readonly startedMs: number } = { bootId: null, startedMs: 0 };

  constructor(options: RunOptions) {
    this.#options = options;
    this.#random = new Random(options.seed, 'run');
  }

  async all(): Promise<RunRecord> {
    const { rounds, processes } = this.#options;
    await Promise.all(Array.from({ length: processes }, (_, client) => this.#start(client)));
    for (let number = 0; number < rounds; number += 1) await this.#playRound(number);
    await this.#settle();
    await Promise.all(this.#clients.map((client) => client.kill()));
    const operations = [...readRecordings(this.#recordings), ...this.#reboots];
    return { operations: operations.map((operation, id) => ({ ...operation, id })), figures: this.#figures };
  }

  async end(): Promise<void> {
    // One that is being started again would otherwise begin after this, and nobody would end it.
    await Promise.allSettled(this.#pending);
    await Promise.all(this.#clients.map((client) => client.kill()));
    rmSync(this.#recordings, { recursive: true, force: true });
  }

  async #playRound(number: number): Promise<void> {
    const { agentsPerRound, roundMs } = this.#options;
    const agents = Array.from({ length: agentsPerRound }, (_, index) => `agent-${number}-${index}`);
    this.#round = { number, agents, endsAtMs: machineMs() + roundMs };
    for (const client of this.#clients.filter((each) => each.isReady)) this.#order(client);
    while (machineMs() < this.#round.endsAtMs) {
      await setTimeout(this.#random.between(10, 90));
      await this.#disturb();
      // A restart of the only client moves the end.
      if (this.#options.processes === 1) await this.#settle();
    }
    for (const client of this.#clients) client.wake();
    // One that is only just beginning has not heard of this round, and joins the next.
    await Promise.all(this.#clients.filter((each) => each.isReady).map((client) => client.done(number)));
  }

  async #settle(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    await Promise.all(pending);
  }

  #order(client: ClientProcess): void {
    const { number, agents, endsAtMs } = this.#round;
    client.send({ kind: 'round', round: number, agents, endsAtMs });
  }

  async #start(client: number): Promise<void> {
    const { module, place, variant, lanes, seed, within } = this.#options;
    const life = (this.#lives[client] ?? 0) + 1;
    this.#lives[client] = life;
    const recordings = this.#recordings;
    const boot = this.#boot;
    const of = { module: module.href, place, variant, recordings, client, life, lanes, seed, boot };
    const started = new ClientProcess(of, within?.(client));
    this.#clients[client] = started;
    if (!(await started.ready())) throw new Error('A client could not begin.');
  }

  async #disturb(): Promise<void> {
    const choice = this.#random.next();
    const index = this.#random.below(this.#clients.length);
    const client = this.#clients[index];
    if (client === undefined || !client.isAlive || !client.isReady) return;
    if (choice < 0.3) this.#stop(client);
    else if (choice < 0.5) this.#step(client);
    else if (choice < 0.62) this.#pending.push(this.#kill(index, client));
    else if (choice < 0.63 && this.#options.canReboot) await this.#reboot();
  }

  /** Mostly for less than a lease lives, sometimes for much longer; now and then for longer than others wait for a lock. */
  #stop(client: ClientProcess): void {
    if (client.isStopped) return;
    this.#figures.stops += 1;
    const ms = this.#random.chance(0.02) ? 2_300 : this.#random.between(5, 350);
    client.stop();
    void setTimeout(ms).then(() => client.wake());
  }

  #step(client: ClientProcess): void {
    this.#figures['clock steps'] += 1;
    const seconds = (): number => Math.round(this.#random.heavyTail(20)) * (this.#random.chance(0.5) ? 1_000 : -1_000);
    client.send({ kind: 'step', wallMs: seconds(), monotonicMs: Math.abs(seconds()) });
  }

  async #kill(index: number, client: ClientProcess): Promise<void> {
    this.#figures.kills += 1;
    const killedMs = machineMs();
    await client.kill();
    await this.#start(index);
    // Where it is the only one, nobody worked meanwhile.
    if (this.#clients.length === 1) this.#extend(killedMs);
    const next = this.#clients[index];
    if (next !== undefined) this.#order(next);
  }

  /** Makes up for the time since then. */
  #extend(sinceMs: number): void {
    this.#round = { ...this.#round, endsAtMs: this.#round.endsAtMs + machineMs() - sinceMs };
  }

  /** All that runs on the machine ends at once, and its boot clock begins anew under another name. */
  async #reboot(): Promise<void> {
    this.#figures.reboots += 1;
    await this.#settle();
    await Promise.all(this.#clients.map((client) => client.kill()));
    const invokeMs = machineMs();
    this.#boot = { bootId: `boot-${this.#figures.reboots}`, startedMs: createHostClock().instant().bootMs };
    const returnMs = machineMs();
    for (const agentId of this.#round.agents) {
      const call = { verb: 'reboot' } as const;
      this.#reboots.push({ id: 0, client: 'machine', agentId, call, invokeMs, returnMs, answer: null });
    }
    await Promise.all(this.#clients.map((_, client) => this.#start(client)));
    this.#extend(invokeMs);
    for (const client of this.#clients) this.#order(client);
  }
}
