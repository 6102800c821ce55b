import { CurrentCoordinator } from '../../src/main/coordinators/current-coordinator.ts';
import type { ChosenCoordinator } from '../../src/main/coordinators/current-coordinator.ts';
import type { LeaseCoordinator } from '../../src/main/coordinators/lease-coordinator.ts';
import { unreachableProblem } from '../../src/main/coordinators/register-problem.ts';
import { err, ok } from '../../src/shared/lib/result.ts';
import { Random } from '../harness/random.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { MachineClock } from './machine-clock.ts';
import { createNetworkCoordinator } from './sim-network.ts';
import type { Link } from './sim-network.ts';
import { RegisterNode } from './sim-register.ts';
import type { RegisterWatch } from './sim-register.ts';
import type { Swarm } from './swarm.ts';

/** A device, as its way to the registers sees it. */
export interface Client {
  readonly name: string;
  readonly random: Random;
  readonly clock: MachineClock;
}

interface RegistersOptions {
  readonly queue: EventQueue;
  readonly swarm: Swarm;
  readonly faults: FaultLog;
  readonly watch: RegisterWatch;
  /** The clock of the machine of one. */
  clockOf(name: string, random: Random): MachineClock;
}

/** What one process of a device talks to. */
interface InUse {
  readonly owner: Owner;
  readonly current: CurrentCoordinator;
}

/**
 * The registers outside of the devices, and the ways to them. A device uses one, and keeps which over its stops; where there is
 * only one, it talks to that without a choice.
 */
export class Registers {
  readonly nodes: readonly RegisterNode[];
  readonly links: Link[] = [];
  readonly #of: RegistersOptions;
  readonly #clients = new Map<string, Client & { readonly link: Link; chosen: number; inUse: InUse | null }>();

  constructor(names: readonly string[], of: RegistersOptions) {
    this.#of = of;
    this.nodes = names.map((name) => {
      const random = new Random(of.swarm.seed, name);
      const trueMs = (): number => of.queue.nowMs;
      return new RegisterNode({ name, random, trueMs, watch: of.watch, clock: of.clockOf(name, random) });
    });
  }

  join(client: Client): void {
    const link: Link = { cutUntilMs: 0, deafUntilMs: 0 };
    this.links.push(link);
    this.#clients.set(client.name, { ...client, link, chosen: 0, inUse: null });
  }

  /** What a device that starts talks to; `null` where it has the register itself. */
  coordinatorFor(name: string, owner: Owner): LeaseCoordinator | null {
    const client = this.#clientOf(name);
    if (this.nodes.length === 0) return null;
    if (this.nodes.length === 1) return this.#reach(client, 0, owner);
    const current = new CurrentCoordinator(
      this.choice(name, client.chosen, owner),
      () => client.clock.read().monotonicMs,
    );
    client.inUse = { owner, current };
    return current;
  }

  /** Which register a device uses, and what its process talks to it with. */
  usedBy(name: string): { readonly chosen: number; readonly inUse: InUse | null } {
    return this.#clientOf(name);
  }

  /** A person's choice for a device, durable from now on. */
  keep(name: string, index: number): void {
    this.#clientOf(name).chosen = index;
  }

  /** A register as a person chooses it, opened over the network. */
  choice(name: string, index: number, owner: Owner): ChosenCoordinator {
    const client = this.#clientOf(name);
    const node = this.#nodeAt(index);
    return {
      name: `Register ${index + 1}`,
      identity: node.identity,
      open: () => {
        const isThere = node.isUp && this.#of.queue.nowMs >= client.link.cutUntilMs;
        return Promise.resolve(
          isThere ? ok(this.#reach(client, index, owner)) : err(unreachableProblem('It is not there.')),
        );
      },
    };
  }

  #reach(client: Client & { readonly link: Link }, index: number, owner: Owner): LeaseCoordinator {
    const { name, random, clock, link } = client;
    const { queue, swarm, faults } = this.#of;
    const node = this.#nodeAt(index);
    return createNetworkCoordinator({ queue, swarm, faults, name, random, clock, link, owner, node });
  }

  #nodeAt(index: number): RegisterNode {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`There is no register ${index}.`);
    return node;
  }

  #clientOf(name: string): Client & { readonly link: Link; chosen: number; inUse: InUse | null } {
    const client = this.#clients.get(name);
    if (client === undefined) throw new Error(`${name} has no way to a register.`);
    return client;
  }

  close(): void {
    for (const node of this.nodes) node.close();
  }
}
