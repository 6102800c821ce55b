import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { v7 } from 'uuid';
import { CurrentCoordinator } from '../../src/main/coordinators/current-coordinator.ts';
import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import { createHostClock } from '../../src/main/host/clock.ts';
import type { HostControl } from '../../src/main/host/control.ts';
import { createControl } from '../../src/main/host/create-control.ts';
import { Host } from '../../src/main/host/host.ts';
import { Mover } from '../../src/main/host/move/mover.ts';
import type { MoveTarget } from '../../src/main/host/move/mover.ts';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { readAll } from '../../src/main/store/connection.ts';
import { findSource } from '../../src/main/store/rows.ts';
import { Store } from '../../src/main/store/store.ts';
import { parseStrategy } from '../../src/main/strategy/load-strategy.ts';
import { createTools } from '../../src/main/tools/create-tools.ts';
import type { MoveView } from '../../src/shared/contract/coordinator-views.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import type { AgentId, DeviceId, RunId } from '../../src/shared/contract/identifiers.ts';
import type { RegisterVerb } from '../../src/shared/core/lease/register.ts';
import { ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { must } from './sqlite-benches.ts';

/** How long something may take to come about before a test gives up, ms. */
const WAIT_LIMIT_MS = 25_000;

/** What becomes of a question on its way to a register; `null` lets it through. */
export type Fault = (verb: RegisterVerb) => Result<never, Problem> | 'lose-answer' | null;

/** A register on a file, behind a way on which questions and answers can get lost. */
export function registerAt(
  file: string,
  fault: Fault = () => null,
): { open(): Promise<Result<LeaseCoordinator, Problem>> } {
  return {
    async open() {
      const opened = openFileCoordinator({ file, clock: createHostClock() });
      if (!opened.ok) return opened;
      const inner = opened.value;
      return ok({
        name: inner.name,
        identity: inner.identity,
        inside: null,
        async ask(agentId, verb) {
          const lost = fault(verb);
          if (lost !== null && lost !== 'lose-answer') return lost;
          const answer = await inner.ask(agentId, verb);
          return lost === null ? answer : LOST_ANSWER;
        },
        current: (agentId) => inner.current(agentId),
        close: () => inner.close(),
      });
    },
  };
}

const LOST_ANSWER = { ok: false, error: { code: 'register-unreachable', message: 'Lost.', wayOut: '' } } as const;

/** A whole device in this process, whose register can be changed: the real host, pipeline, tools and store. */
export class MovingDevice {
  readonly store: Store;
  readonly host: Host;
  readonly control: HostControl;
  readonly current: CurrentCoordinator;
  readonly mover: Mover;

  constructor(folder: string, registerFile: string, fault?: Fault) {
    const clock = createHostClock();
    const timers = createHostTimers();
    mkdirSync(folder, { recursive: true });
    this.store = must(Store.open(folder, { clock, timers, newId: v7 }));
    const register = registerAt(registerFile, fault);
    const chosen = { name: 'Old', identity: null, open: () => register.open() };
    this.current = new CurrentCoordinator(chosen, () => timers.nowMs());
    const deviceId = this.rows<{ value: string }>(`SELECT value FROM profile WHERE key = 'device-id'`)[0]?.value;
    this.host = new Host({
      store: this.store,
      coordinator: this.current,
      tools: createTools({ protectedFolders: [folder] }),
      clock,
      timers,
      device: { deviceId: deviceId as DeviceId, name: 'Test' },
      hostId: randomUUID(),
      newId: () => v7(),
      strategyOf: (digest) => {
        const connection = this.store.connection();
        const source = connection === null ? null : findSource(connection.db, digest);
        const parsed = source === null ? null : parseStrategy('strategy.yaml', source);
        return parsed?.ok === true ? parsed.value.strategy : null;
      },
      passed: () => undefined,
      log: () => undefined,
    });
    this.control = createControl(this.host.state.ports, this.host);
    this.mover = new Mover({ state: this.host.state, current: this.current, changed: () => this.host.wake() });
  }

  async start(): Promise<void> {
    must(await this.current.opened());
    this.host.start();
  }

  async agent(text: string): Promise<AgentId> {
    const saved = must(await this.control.saveAgent('strategy.yaml', text));
    if ('problems' in saved) throw new Error(JSON.stringify(saved.problems));
    const { previewDigest } = must(this.control.previewGrant(saved.agentId));
    must(await this.control.authorise(saved.agentId, previewDigest, 'Test'));
    return saved.agentId;
  }

  async run(agentId: AgentId, requestId: string): Promise<RunId> {
    return must(await this.control.startRun({ agentId, requestId, input: {}, by: 'Test' })).runId;
  }

  rows<Row>(sql: string, ...parameters: readonly unknown[]): Row[] {
    const connection = this.store.connection();
    return connection === null ? [] : readAll<Row>(connection.db, sql, ...parameters);
  }

  ending(runId: RunId): string | null {
    return this.rows<{ ending: string | null }>('SELECT ending FROM runs WHERE run_id = ?', runId)[0]?.ending ?? null;
  }

  phase(runId: RunId): string {
    return this.rows<{ phase: string }>('SELECT phase FROM runs WHERE run_id = ?', runId)[0]?.phase ?? '';
  }

  count(kind: string): number {
    return this.rows('SELECT 1 FROM ops WHERE kind = ?', kind).length;
  }

  /** Moves everything to a register on another file. */
  move(file: string, fault?: Fault): void {
    must(this.mover.start(targetAt(file, fault)));
  }

  async moved(): Promise<MoveView> {
    await until('the move is over', () => this.mover.view()?.state !== 'running');
    const view = this.mover.view();
    if (view === null) throw new Error('There was no move.');
    return view;
  }

  /** The process is gone: nothing is given up, nothing more is written. */
  async vanish(): Promise<void> {
    this.store.close();
    await this.current.close();
    void this.host.stop();
    void this.mover.cancel();
  }
}

function targetAt(file: string, fault?: Fault): MoveTarget {
  const register = registerAt(file, fault);
  return {
    name: 'New',
    identity: null,
    open: () => register.open(),
    by: 'Test',
    keep: () => Promise.resolve(ok(null)),
  };
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const limitMs = performance.now() + WAIT_LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > limitMs) throw new Error(`Not within ${WAIT_LIMIT_MS} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
