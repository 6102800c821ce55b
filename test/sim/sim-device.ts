import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import { createEmbeddedCoordinator } from '../../src/main/coordinators/sqlite/embedded-coordinator.ts';
import type { HostControl } from '../../src/main/host/control.ts';
import { createControl } from '../../src/main/host/create-control.ts';
import { Host } from '../../src/main/host/host.ts';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import type { HostTimers } from '../../src/main/host/timers.ts';
import type { Connection } from '../../src/main/store/connection.ts';
import { readOne } from '../../src/main/store/connection.ts';
import { Store } from '../../src/main/store/store.ts';
import type { LoadedStrategy } from '../../src/main/strategy/load-strategy.ts';
import type { Tools } from '../../src/main/tools/tool.ts';
import type { AgentId, DeviceId } from '../../src/shared/contract/identifiers.ts';
import { NATURE } from './event-queue.ts';
import type { DeviceSharing } from './device-sharing.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { MachineClock } from './machine-clock.ts';
import type { Random } from '../harness/random.ts';
import type { SimDisk } from './sim-disk.ts';

/** What a device is made of. `null` as a coordinator means the embedded one. */
export interface DeviceOptions {
  readonly name: string;
  readonly folder: string;
  readonly queue: EventQueue;
  readonly random: Random;
  readonly clock: MachineClock;
  readonly disk: SimDisk;
  readonly strategies: readonly LoadedStrategy[];
  coordinator(owner: Owner): LeaseCoordinator | null;
  tools(owner: Owner): Tools;
  /** How many times longer than asked for a timer takes. */
  timerStretch(): number;
  passed(point: CrashPoint): void;
  /** Everything written, in order: for the fingerprint of the simulation. */
  committed(sequence: number, previous: number): void;
  opened(): void;
  /** The disk lost what it had promised to keep. */
  forgot(): void;
  /** Shares the journal through a relay; `null` where there is none. */
  readonly sharing: DeviceSharing | null;
}

interface Running {
  readonly owner: Owner;
  readonly store: Store;
  readonly host: Host;
  readonly control: HostControl;
}

/** One device of a person: the real host on a real store, started and killed as often as a simulation likes. */
export class SimDevice {
  readonly name: string;
  readonly clock: MachineClock;
  readonly disk: SimDisk;
  /** The newest journal entry that somebody was told is kept. */
  acknowledged = { seq: 0, opId: '' };
  starts = 0;
  readonly #of: DeviceOptions;
  #running: Running | null = null;

  constructor(of: DeviceOptions) {
    this.#of = of;
    this.name = of.name;
    this.clock = of.clock;
    this.disk = of.disk;
  }

  get control(): HostControl | null {
    return this.#running?.control ?? null;
  }

  get host(): Host | null {
    return this.#running?.host ?? null;
  }

  get store(): Store | null {
    return this.#running?.store ?? null;
  }

  get sharing(): DeviceSharing | null {
    return this.#of.sharing;
  }

  get owner(): Owner | null {
    return this.#running?.owner ?? null;
  }

  connection(): Connection {
    const connection = this.#running?.store.connection() ?? null;
    if (connection === null) throw new Error(`The record of ${this.name} is not open.`);
    return connection;
  }

  /** The open record, or `null` while the device is off or its disk is in doubt. */
  openConnection(): Connection | null {
    return this.#running?.store.connection() ?? null;
  }

  /** Starts the host; answers whether its record could be opened. */
  start(): boolean {
    const { folder, random, clock, disk } = this.#of;
    const owner: Owner = { isAlive: true, pausedUntilMs: 0 };
    const timers = this.#timers(owner);
    const newId = (): string => random.id();
    const opened = Store.open(folder, { clock, timers, newId, open: disk.open });
    if (!opened.ok) return false;
    const store = opened.value;
    this.starts += 1;
    const host = this.#assemble(owner, { store, timers, newId });
    const control = createControl(host.state.ports, host);
    this.#running = { owner, store, host, control };
    this.#of.opened();
    store.onCommit(({ sequence, previousSequence }) => {
      const sql = 'SELECT op_id AS opId FROM ops WHERE seq = ?';
      const newest = readOne<{ opId: string }>(this.connection().db, sql, sequence);
      this.acknowledged = { seq: sequence, opId: newest?.opId ?? '' };
      this.#of.committed(sequence, previousSequence);
    });
    void this.#setUp(control);
    host.start();
    void this.#of.sharing?.start(host, owner);
    return true;
  }

  #assemble(owner: Owner, of: { store: Store; timers: HostTimers; newId: () => string }): Host {
    const { store, timers, newId } = of;
    const deviceId = readOne<{ value: string }>(
      store.connection()?.db ?? this.connection().db,
      `SELECT value FROM profile WHERE key = 'device-id'`,
    );
    const embedded = (): LeaseCoordinator =>
      createEmbeddedCoordinator({
        register: () => store.connection()?.register ?? null,
        write: (job) => store.write(job),
      });
    const known = new Map(this.#of.strategies.map((each) => [each.digest, each.strategy]));
    return new Host({
      store,
      timers,
      newId,
      clock: this.clock,
      coordinator: this.#of.coordinator(owner) ?? embedded(),
      tools: this.#of.tools(owner),
      device: { deviceId: (deviceId?.value ?? '') as DeviceId, name: this.name },
      hostId: newId(),
      strategyOf: (digest) => known.get(digest) ?? null,
      passed: (point) => {
        if (owner.isAlive) this.#of.passed(point);
      },
      log: () => undefined,
    });
  }

  #timers(owner: Owner): HostTimers {
    const { queue } = this.#of;
    return {
      nowMs: () => this.clock.read().monotonicMs,
      after: (delayMs, act) => queue.after(this.clock.trueDelayMs(delayMs) * this.#of.timerStretch(), owner, act),
      soon: (act) => void queue.after(0, owner, act),
    };
  }

  /** Whether every agent is saved here; what failed is done again. */
  hasAgents(): boolean {
    const connection = this.openConnection();
    if (connection === null) return false;
    const isHere = ({ strategy }: LoadedStrategy): boolean =>
      readOne(connection.db, 'SELECT 1 FROM agents WHERE agent_id = ?', strategy.id) !== null;
    if (this.#of.strategies.every(isHere)) return true;
    if (this.control !== null) void this.#setUp(this.control);
    return false;
  }

  /** The person saved the agents and allowed them to act; a disk that lied may have forgotten it. */
  async #setUp(control: HostControl): Promise<void> {
    for (const { strategy, source } of this.#of.strategies) {
      const { id: agentId } = strategy;
      const connection = this.control === control ? this.openConnection() : null;
      if (connection === null) return;
      if (readOne(connection.db, 'SELECT 1 FROM agents WHERE agent_id = ?', agentId) === null)
        await control.saveAgent('strategy.yaml', source);
      await this.authorise(agentId);
    }
  }

  /** Gives the permission, unless it is there. */
  async authorise(agentId: AgentId): Promise<void> {
    const connection = this.openConnection();
    const { control } = this;
    if (connection === null || control === null) return;
    const sql = 'SELECT 1 FROM grants WHERE agent_id = ? AND revoked_at_ms IS NULL';
    const preview = readOne(connection.db, sql, agentId) === null ? control.previewGrant(agentId) : null;
    if (preview?.ok === true) await control.authorise(agentId, preview.value.previewDigest, 'Person');
  }

  /** SIGKILL, or the power goes. Answers whether the disk forgot what it had promised to keep. */
  crash(): void {
    const running = this.#running;
    if (running === null) return;
    running.owner.isAlive = false;
    this.#of.sharing?.died();
    this.#running = null;
    // What the dead process would still do in this turn finds its record open, and reaches nobody.
    this.#of.queue.after(0, NATURE, () => {
      if (!this.disk.lose()) return;
      this.acknowledged = { seq: 0, opId: '' };
      this.#of.forgot();
    });
  }

  /** Quits as a person would: drains, gives the right to act up, closes. */
  async quit(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    await running.host.drain(5_000);
    if (this.#running !== running) return;
    await running.host.stop();
    await this.#of.sharing?.sync?.close();
    if (this.#running === running) this.crash();
  }

  get deviceId(): DeviceId {
    return this.#running?.host.state.ports.device.deviceId ?? ('' as DeviceId);
  }

  seesWentBack(agentId: AgentId): boolean {
    return this.host?.state.leases.status(agentId).state === 'went-back';
  }
}
