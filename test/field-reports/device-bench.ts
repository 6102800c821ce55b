import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import type { LeaseCoordinator, RegisterAnswer } from '../../src/main/coordinators/lease-coordinator.ts';
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import type { HostClock } from '../../src/main/host/clock.ts';
import type { HostControl } from '../../src/main/host/control.ts';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { createControl } from '../../src/main/host/create-control.ts';
import { Host } from '../../src/main/host/host.ts';
import type { LeaseKeeper } from '../../src/main/host/pipeline/lease.ts';
import { steadyClock } from '../../src/main/host/testing/steady-clock.ts';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { readAll } from '../../src/main/store/connection.ts';
import { findSource } from '../../src/main/store/rows.ts';
import { Store } from '../../src/main/store/store.ts';
import { connectionOf, deviceIdOf } from '../../src/main/store/testing/store-bench.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import { parseStrategy } from '../../src/main/strategy/load-strategy.ts';
import { createTools } from '../../src/main/tools/create-tools.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { AgentId, DeviceId, Digest, RunId } from '../../src/shared/contract/identifiers.ts';
import type { ClockReading, LeaseInstant } from '../../src/shared/core/lease/clock.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { until } from './steady-time.ts';

/** Stands between a device and its register: passes the question on, or does something else with it. */
export type OnTheWay = (
  verb: RegisterVerb,
  pass: () => Promise<Result<RegisterAnswer, Problem>>,
) => Promise<Result<RegisterAnswer, Problem>>;

/** Any clocks, steady ones unless a test says otherwise, with a shift on each of the three: a sleep or a step is injected. */
export class ShiftedClock implements HostClock {
  readonly #base: HostClock;
  readonly #shift = { wallMs: 0, monotonicMs: 0, bootMs: 0 };

  constructor(base: HostClock = steadyClock) {
    this.#base = base;
  }

  /** Moves the clocks that are named on by so many ms, or back. */
  shift(by: Partial<ClockReading>): void {
    this.#shift.wallMs += by.wallMs ?? 0;
    this.#shift.monotonicMs += by.monotonicMs ?? 0;
    this.#shift.bootMs += by.bootMs ?? 0;
  }

  /** All three go on together: time in which nothing else of the test has to wait. */
  pass(ms: number): void {
    this.shift({ wallMs: ms, monotonicMs: ms, bootMs: ms });
  }

  read(): ClockReading {
    const { wallMs, monotonicMs, bootMs } = this.#base.read();
    return {
      wallMs: wallMs + this.#shift.wallMs,
      monotonicMs: monotonicMs + this.#shift.monotonicMs,
      bootMs: bootMs + this.#shift.bootMs,
    };
  }

  instant(): LeaseInstant {
    const { bootId, bootMs } = this.#base.instant();
    return { bootId, bootMs: bootMs + this.#shift.bootMs };
  }
}

/** What a device is made of. The register is a file that several devices share, with a clock that is its own. */
export interface DeviceOptions {
  readonly folder: string;
  readonly registerFile: string;
  readonly clock: HostClock;
  readonly registerClock: HostClock;
  readonly onTheWay?: OnTheWay;
}

/**
 * A whole device in this process: the real host, pipeline, tools, store and register file. Only its clocks and the way to
 * its register belong to the test.
 */
export class Device {
  readonly store: Store;
  readonly host: Host;
  readonly control: HostControl;
  readonly deviceId: DeviceId;
  onTheWay: OnTheWay;
  readonly #coordinator: LeaseCoordinator;
  readonly #listeners: ((point: CrashPoint) => void)[] = [];

  /** `start` lets it act; until then only what a test asks of it happens. */
  constructor({ folder, registerFile, clock, registerClock, onTheWay }: DeviceOptions) {
    const timers = createHostTimers();
    this.onTheWay = onTheWay ?? ((_verb, pass) => pass());
    this.store = must(Store.open(folder, { clock, timers, newId: v7 }));
    this.deviceId = deviceIdOf(this.store) as DeviceId;
    this.#coordinator = must(openFileCoordinator({ file: registerFile, clock: registerClock }));
    const { identity, name, inside } = this.#coordinator;
    this.host = new Host({
      store: this.store,
      coordinator: {
        identity,
        name,
        inside,
        ask: (agentId, verb) => this.onTheWay(verb, () => this.#coordinator.ask(agentId, verb)),
        current: (agentId) => this.#coordinator.current(agentId),
        close: () => this.#coordinator.close(),
      },
      tools: createTools({ protectedFolders: [folder] }),
      clock,
      timers,
      device: { deviceId: this.deviceId, name: 'Test' },
      hostId: randomUUID(),
      newId: () => v7(),
      strategyOf: (digest) => {
        const connection = this.store.connection();
        const source = connection === null ? null : findSource(connection.db, digest);
        const parsed = source === null ? null : parseStrategy('strategy.yaml', source);
        return parsed?.ok === true ? parsed.value.strategy : null;
      },
      passed: (point) => {
        for (const listener of this.#listeners) listener(point);
      },
      log: () => undefined,
    });
    this.control = createControl(this.host.state.ports, this.host);
  }

  start(): void {
    this.host.start();
  }

  get leases(): LeaseKeeper {
    return this.host.state.leases;
  }

  /** Does something the first time that a crash point is passed. */
  at(point: CrashPoint, act: () => void): void {
    let isPassed = false;
    this.#listeners.push((passed) => {
      if (isPassed || passed !== point) return;
      isPassed = true;
      act();
    });
  }

  /** Saves a strategy, as YAML text, and gives it the permission to act. */
  async agent(text: string): Promise<AgentId> {
    const saved = must(await this.control.saveAgent('strategy.yaml', text));
    if ('problems' in saved) throw new Error(JSON.stringify(saved.problems));
    const { agentId } = saved;
    const { previewDigest } = must(this.control.previewGrant(agentId));
    must(await this.control.authorise(agentId, previewDigest, 'Test'));
    return agentId;
  }

  async run(agentId: AgentId, requestId = 'press'): Promise<RunId> {
    return must(await this.control.startRun({ agentId, requestId, input: {}, by: 'Test' })).runId;
  }

  rows<Row>(sql: string, ...parameters: readonly unknown[]): Row[] {
    return readAll<Row>(connectionOf(this.store).db, sql, ...parameters);
  }

  /** How often a kind of event is in the journal. */
  count(kind: string): number {
    return this.rows('SELECT 1 FROM ops WHERE kind = ?', kind).length;
  }

  /** Why nothing was sent, in order. */
  refusals(): string[] {
    const rows = this.rows<{ word: string; reason: string }>('SELECT word, reason FROM refusals ORDER BY seq');
    return rows.map(({ word, reason }) => `${word}: ${reason}`);
  }

  phase(runId: RunId): string {
    return this.rows<{ phase: string }>('SELECT phase FROM runs WHERE run_id = ?', runId)[0]?.phase ?? '';
  }

  ending(runId: RunId): string | null {
    return this.rows<{ ending: string | null }>('SELECT ending FROM runs WHERE run_id = ?', runId)[0]?.ending ?? null;
  }

  async ended(runId: RunId): Promise<string | null> {
    await until('the run ends', () => this.ending(runId) !== null);
    return this.ending(runId);
  }

  /** Allows the one open question; answers what exactly was allowed. */
  async allow(): Promise<{ approvalId: string; inputDigest: Digest }> {
    return this.#decide(true);
  }

  /** Says no to the one open question. */
  async refuse(): Promise<void> {
    await this.#decide(false);
  }

  async #decide(isAllowed: boolean): Promise<{ approvalId: string; inputDigest: Digest }> {
    const [open] = this.rows<{ approval_id: string; input_digest: Digest }>(
      `SELECT approval_id, input_digest FROM approvals WHERE state = 'open'`,
    );
    if (open === undefined) throw new Error('Nobody was asked.');
    const answer = { approvalId: open.approval_id, inputDigest: open.input_digest };
    must(await this.control.decideApproval({ ...answer, isAllowed, by: 'Test', reason: '' }));
    return answer;
  }

  /** The process is gone: nothing is drained, nothing is given up, nothing more is written. */
  async vanish(): Promise<void> {
    this.onTheWay = () => new Promise(() => undefined);
    this.store.close();
    await this.#coordinator.close();
    void this.host.stop();
  }

  async close(): Promise<void> {
    await this.host.drain(5_000);
    await this.host.stop();
    await this.#coordinator.close();
    this.store.close();
  }
}
