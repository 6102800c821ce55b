import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Owner } from './event-queue.ts';
import { EventQueue } from './event-queue.ts';
import { Checker } from './checker.ts';
import type { CheckedParts } from './checker.ts';
import { Coverage } from './coverage.ts';
import { checkAtRest, isAtRest } from './at-rest.ts';
import { FaultLog } from './fault-log.ts';
import { Ledger } from './ledger.ts';
import { Liveness } from './liveness.ts';
import { MEMORY_FOLDER } from './memory-folder.ts';
import { drawMachineClock } from './machine-clock.ts';
import type { MachineClock } from './machine-clock.ts';
import { OracleWatch } from './oracle-watch.ts';
import type { Outcome } from './outcome.ts';
import { Person } from './person.ts';
import { Random } from '../harness/random.ts';
import { SimDevice } from './sim-device.ts';
import { SimDisk } from './sim-disk.ts';
import { Moves } from './moves.ts';
import { Raises } from './raises.ts';
import { Registers } from './registers.ts';
import { comesAgainIn, drawStrategy } from './strategies.ts';
import type { LoadedStrategy } from '../../src/main/strategy/load-strategy.ts';
import { SharedJournals } from './shared-journals.ts';
import type { RelayPlan, Swarm } from './swarm.ts';
import { Telling } from './telling.ts';
import { TravellingJournals } from './travelling-journals.ts';
import { TravellingOracle } from './travelling-oracle.ts';
import { Trouble } from './trouble.ts';
import { World } from './world.ts';

/** How long the world is given to come to rest once nothing is broken, ms, and how often at most. */
const REST_STEP_MS = 30_000;
const REST_STEPS = 40;
/** After the night every device hears from every other, and of what came of that, so many times. */
const LAST_ROUNDS = 3;

/** How a seed is looked at. */
export interface SimulationOptions {
  readonly tellsStory?: boolean;
  /** The invariants that are judged; all of them if none is named. For runs in which other layers are switched off. */
  readonly only?: readonly string[];
  /** What one device commits is in the oracle of every other at once: stands in for the synchronisation of journals. */
  readonly oracleTravels?: boolean;
  /** The devices share their journals. */
  readonly journalsTravel?: boolean;
  /** There are two registers, and a person moves the agents between them. */
  readonly moves?: boolean;
  /** Oracles are compared whenever a journal is folded. */
  readonly watchesOracles?: boolean;
}

/** One seed from beginning to end. */
export class Simulation {
  readonly queue = new EventQueue();
  readonly #swarm: Swarm;
  readonly #options: SimulationOptions;
  readonly #folder = mkdtempSync(join(MEMORY_FOLDER, 'fencepost-sim-'));
  readonly #telling: Telling;
  readonly #faults = new FaultLog();
  readonly #checker = new Checker();
  readonly #coverage = new Coverage();
  readonly #ledger = new Ledger();
  readonly #oracles = new TravellingOracle();
  readonly #oracleWatch = new OracleWatch({ ledger: this.#ledger, checker: this.#checker });
  readonly #world: World;
  readonly #registers: Registers;
  readonly #moves: Moves | null;
  readonly #devices: SimDevice[] = [];
  readonly #strategies: readonly LoadedStrategy[];
  readonly #trouble: Trouble;
  readonly #journals: TravellingJournals | SharedJournals | null;
  readonly #person: Person;
  #toRestMs = 0;

  /** Everything that was written, in plain lines; `null` unless somebody wants to read it. */
  get story(): readonly string[] | null {
    return this.#telling.story;
  }

  constructor(swarm: Swarm, options: SimulationOptions = {}) {
    this.#swarm = swarm;
    this.#options = options;
    this.#checker.only = options.only ?? [];
    const { queue } = this;
    this.#telling = new Telling({ trueMs: () => queue.nowMs, tellsStory: options.tellsStory === true });
    const random = new Random(swarm.seed, 'strategies');
    this.#strategies = Array.from({ length: swarm.agents }, (_, index) =>
      drawStrategy(random, `agent-${index}`, swarm.ttlMs),
    );
    const { refusalShare } = swarm;
    this.#world = new World({ queue, random: new Random(swarm.seed, 'world'), faults: this.#faults, refusalShare });
    const nodes = swarm.register === 'remote' ? ['register', ...(options.moves === true ? ['register-2'] : [])] : [];
    this.#registers = new Registers(nodes, {
      queue,
      swarm,
      faults: this.#faults,
      watch: this.#checker,
      clockOf: (name, its) => this.#createClock(name, its, false),
    });
    const shared = swarm.relay === null ? null : this.#share(swarm.relay);
    for (let index = 0; index < swarm.devices; index += 1) this.#devices.push(this.#createDevice(index, shared));
    const { links } = this.#registers;
    const parts = { queue, devices: this.#devices, strategies: this.#strategies, links, faults: this.#faults };
    this.#journals =
      options.journalsTravel === true && nodes.length > 0
        ? new TravellingJournals({ ...parts, random: new Random(swarm.seed, 'journals') })
        : shared;
    const moving = { ...parts, registers: this.#registers, random: new Random(swarm.seed, 'moves') };
    this.#moves = nodes.length > 1 ? new Moves(moving) : null;
    const raises = new Raises({ ...parts, random: new Random(swarm.seed, 'raises') });
    this.#person = new Person({ ...parts, raises, random: new Random(swarm.seed, 'person') });
    this.#trouble = new Trouble({
      ...parts,
      random: new Random(swarm.seed, 'trouble'),
      swarm,
      nodes: this.#registers.nodes,
      putBack: () => this.#checker.putBack(),
    });
  }

  #createClock(name: string, random: Random, mayBeBad: boolean): MachineClock {
    const hasBadClock = mayBeBad && this.#swarm.hasBadClock;
    return drawMachineClock(name, random, { trueMs: () => this.queue.nowMs, hasBadClock });
  }

  #share(plan: RelayPlan): SharedJournals {
    const random = new Random(this.#swarm.seed, 'journals');
    const clock = this.#createClock('relay', random, false);
    const folder = join(this.#folder, 'relay');
    const { queue } = this;
    const of = { queue, plan, random, clock, folder, swarm: this.#swarm, faults: this.#faults, devices: this.#devices };
    return new SharedJournals({ ...of, telling: this.#telling });
  }

  #createDevice(index: number, shared: SharedJournals | null): SimDevice {
    const { queue } = this;
    const swarm = this.#swarm;
    const faults = this.#faults;
    const name = `device-${index}`;
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const random = new Random(swarm.seed, name);
    const clock = this.#createClock(name, random, true);
    this.#registers.join({ name, random, clock });
    const trueMs = (): number => queue.nowMs;
    const disk = new SimDisk({ trueMs, random, swarm, faults, crash: () => this.#trouble.kill(device) });
    const device: SimDevice = new SimDevice({
      name,
      folder,
      queue,
      random,
      clock,
      disk,
      strategies: this.#strategies,
      coordinator: (owner) => this.#registers.coordinatorFor(name, owner),
      tools: (owner) => this.#tools(owner, () => device),
      timerStretch: () => this.#stretch(random),
      passed: (point) => this.#trouble.passed(device, point),
      committed: (sequence, previous) => this.#committed(device, { sequence, previous }),
      opened: () => {
        this.#checker.reopened(device);
        this.#ledger.read(device);
        if (this.#options.oracleTravels === true) this.#oracles.share(this.#devices);
      },
      forgot: () => {
        this.#ledger.forgot(device);
        this.#oracleWatch.forgot(device);
        device.sharing?.forgot();
      },
      sharing: shared?.sharingFor(name, { random: new Random(swarm.seed, `${name} shares`), clock }) ?? null,
    });
    return device;
  }

  #stretch(random: Random): number {
    if (this.#faults.isOver || !this.#swarm.faults.has('slow-timers') || !random.chance(0.35)) return 1;
    this.#faults.count('slow-timers');
    return random.between(1.5, 20);
  }

  #parts(): CheckedParts {
    const comesAgain: CheckedParts['comesAgain'] = (agentId, stateId) => {
      const found = this.#strategies.find(({ strategy }) => strategy.id === agentId);
      return found === undefined || comesAgainIn(found, stateId);
    };
    const trueMs = (): number => this.queue.nowMs;
    return { devices: this.#devices, ledger: this.#ledger, nodes: this.#registers.nodes, trueMs, comesAgain };
  }

  #tools(owner: Owner, device: () => SimDevice): ReturnType<World['toolsOf']> {
    return this.#world.toolsOf(owner, (effect, prepared, context) => {
      this.#telling.note(`${device().name} sends ${effect.effectId} at epoch ${context.epoch}`);
      this.#telling.add(`${device().name} SENDS ${prepared.target}`);
      this.#checker.started(device(), this.#parts(), { effect, prepared, context });
    });
  }

  #committed(device: SimDevice, to: { sequence: number; previous: number }): void {
    this.#telling.committed(device, to);
    this.#ledger.read(device);
    if (this.#options.watchesOracles === true) this.#oracleWatch.committed(device);
    if (this.#options.oracleTravels === true) this.#oracles.share(this.#devices);
  }

  /** Everything works again, people answer, and the world comes to rest (I9). */
  async run(): Promise<Outcome> {
    const { activeMs, restMs, seed, personMs } = this.#swarm;
    const liveness = new Liveness({ ...this.#parts(), queue: this.queue, swarm: this.#swarm, checker: this.#checker });
    const stopAtViolation = (): void => {
      if (this.#checker.violation !== null) throw this.#checker.violation;
    };
    try {
      this.#trouble.startAll(this.#swarm.relay?.latecomerMs ?? 0);
      this.#person.begin(new Random(seed, 'when'), { everyMs: personMs, isOver: () => this.#faults.isOver });
      this.#trouble.begin();
      this.#journals?.begin();
      this.#moves?.begin();
      await this.queue.run(activeMs, stopAtViolation);
      this.#trouble.end();
      this.#journals?.end();
      for (let step = 0; step < REST_STEPS && (step < 2 || !isAtRest(this.#devices)); step += 1) {
        this.#journals?.deliverAll();
        if (step === 0) await liveness.watch(REST_STEP_MS, stopAtViolation);
        else await this.queue.run(this.queue.nowMs + REST_STEP_MS, stopAtViolation);
        this.#moves?.finish();
        if (step > 0) this.#person.finish();
      }
      this.#coverage.add('agents that could act again in time', liveness.waited);
      this.#toRestMs = this.queue.nowMs - activeMs;
      await this.#restAndJudge(restMs, stopAtViolation);
    } catch (cause) {
      if (this.#checker.violation === null) throw cause;
    } finally {
      await this.#end();
    }
    return this.#outcome();
  }

  /** Nothing is left to do: people go home, and the devices stay on. Then everything is counted once more. */
  async #restAndJudge(restMs: number, stopAtViolation: () => void): Promise<void> {
    const overnightMs = this.queue.nowMs + restMs;
    await this.queue.run(overnightMs, stopAtViolation);
    // One that somebody quit at the very end may come back late.
    const isOff = (): boolean => this.#devices.some((device) => device.openConnection() === null);
    for (
      let round = 0;
      this.#journals !== null && (round < LAST_ROUNDS || (round < REST_STEPS && isOff()));
      round += 1
    ) {
      this.#journals.deliverAll();
      await this.queue.run(this.queue.nowMs + REST_STEP_MS, stopAtViolation);
    }
    this.#journals?.judge(this.#checker);
    for (const device of this.#devices) {
      checkAtRest(device, this.#devices, this.#checker);
      this.#coverage.read(device, this.#registers.nodes);
    }
    this.#coverage.readPeople(this.#person, this.#checker);
    for (const node of this.#registers.nodes) node.history.judge(this.#checker);
    this.#coverage.readShared(this.#journals, this.#registers.nodes);
    if (this.#moves !== null) this.#coverage.readMoves(this.#moves, this.#registers.nodes);
    this.#coverage.add('oracles looked at after a fold', this.#oracleWatch.looks);
    this.#coverage.add('oracles of two devices compared', this.#oracleWatch.compared);
    for (const effect of this.#world.effects.values()) this.#checker.settledCount(effect, this.#parts());
    stopAtViolation();
  }

  async #end(): Promise<void> {
    for (const device of this.#devices) {
      device.crash();
      device.disk.lose();
    }
    this.#registers.close();
    await this.#journals?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #outcome(): Outcome {
    return {
      violation: this.#checker.violation,
      fingerprint: this.#telling.fingerprint(),
      simulatedMs: this.queue.nowMs,
      troubledMs: Math.min(this.queue.nowMs, this.#swarm.activeMs),
      toRestMs: this.#toRestMs,
      events: this.queue.happened,
      effects: this.#checker.starts,
      faults: this.#faults.counts,
      coverage: this.#coverage,
    };
  }
}
