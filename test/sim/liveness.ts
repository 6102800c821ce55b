import { readAll } from '../../src/main/store/connection.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { HOLD_OFF_MS } from '../../src/shared/core/lease/lease.ts';
import type { Checker } from './checker.ts';
import type { EventQueue } from './event-queue.ts';
import { SLOWEST_RATE } from './machine-clock.ts';
import type { SimDevice } from './sim-device.ts';
import type { RegisterNode } from './sim-register.ts';
import type { Swarm } from './swarm.ts';

/** How often it is looked whether an agent is held, ms. */
const LOOK_MS = 250;
/** How long a host may take to come to what it has to do: the epsilon of I9, ms. */
const HOST_MS = 1_000;

/** Runs that nothing keeps but the right to act: no person, no time, no barrier, and nothing that was refused. */
const READY = `SELECT DISTINCT agent_id AS agentId FROM runs
  WHERE ending IS NULL AND phase IN ('ready', 'acting') AND barrier_active = 0 AND last_event NOT LIKE 'Refused%'`;

interface LivenessOptions {
  readonly queue: EventQueue;
  readonly swarm: Swarm;
  readonly devices: readonly SimDevice[];
  readonly nodes: readonly RegisterNode[];
  readonly checker: Checker;
}

/**
 * I9 to the second: when faults stop, whatever has something to do is held within T + X + a moment of the host + two round trips
 * (protocol section 8). It is judged where timers and clocks are right: one that was set late, or runs at half the speed, is a
 * fault that goes on.
 */
export class Liveness {
  /** Agents that had something to do when faults stopped. */
  waited = 0;
  readonly #of: LivenessOptions;

  constructor(of: LivenessOptions) {
    this.#of = of;
  }

  /** Lets `forMs` pass from the moment at which faults stopped, and looks meanwhile. */
  async watch(forMs: number, stopAtViolation: () => void): Promise<void> {
    const { queue, swarm, nodes, checker } = this.#of;
    const endMs = queue.nowMs + forMs;
    const isJudged = nodes.length === 1 && !swarm.hasBadClock && !swarm.faults.has('slow-timers');
    if (isJudged) {
      const limitMs = queue.nowMs + swarm.ttlMs / SLOWEST_RATE + HOLD_OFF_MS + HOST_MS + 4 * swarm.latencyMs;
      // What starts again does so at this very moment.
      await queue.run(queue.nowMs, stopAtViolation);
      let waiting = this.#ready();
      this.waited += waiting.size;
      while (waiting.size > 0 && queue.nowMs < Math.min(limitMs, endMs)) {
        await queue.run(queue.nowMs + LOOK_MS, stopAtViolation);
        const ready = this.#ready();
        waiting = new Set([...waiting].filter((agentId) => ready.has(agentId) && !this.#isHeld(agentId)));
      }
      for (const agentId of waiting)
        checker.fail('I9', `${agentId} has something to do, and nobody holds it after all that a takeover may take`);
    }
    await queue.run(endMs, stopAtViolation);
  }

  #isHeld(agentId: AgentId): boolean {
    return this.#of.nodes.some((node) => {
      const { lease, remainingMs } = node.current(agentId);
      return lease !== null && remainingMs > 0;
    });
  }

  #ready(): Set<AgentId> {
    const ready = new Set<AgentId>();
    for (const device of this.#of.devices) {
      const db = device.openConnection()?.db;
      if (db === undefined) continue;
      for (const { agentId } of readAll<{ agentId: AgentId }>(db, READY)) ready.add(agentId);
    }
    // Where a register went back, a person comes first.
    const isAlarmed = (agentId: AgentId): boolean => this.#of.devices.some((device) => device.seesWentBack(agentId));
    return new Set([...ready].filter((agentId) => !isAlarmed(agentId)));
  }
}
