import { readAll } from '../../src/main/store/connection.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import type { Random } from '../harness/random.ts';
import type { SimDevice } from './sim-device.ts';

/** Whoever is at work looks at alarms so often. */
const LOOK_SHARE = 0.15;

/**
 * A person who is told that a register went back raises it (protocol section 5, rule 7): late, on one device or on all of
 * them at once, and perhaps twice.
 */
export class Raises {
  /** How many raises were made. */
  made = 0;
  readonly #random: Random;
  readonly #devices: readonly SimDevice[];

  constructor(of: { readonly random: Random; readonly devices: readonly SimDevice[] }) {
    this.#random = of.random;
    this.#devices = of.devices;
  }

  look(): void {
    const random = this.#random;
    if (!random.chance(LOOK_SHARE)) return;
    const seen = random.chance(0.3) ? this.#devices : [random.pick(this.#devices)];
    for (const device of seen) {
      this.#raise(device);
      if (random.chance(0.2)) this.#raise(device);
    }
  }

  /** At the end nobody leaves an alarm alone. */
  finish(): void {
    for (const device of this.#devices) this.#raise(device);
  }

  #raise(device: SimDevice): void {
    const connection = device.openConnection();
    if (connection === null) return;
    const sql = 'SELECT agent_id AS agentId FROM high_water';
    for (const { agentId } of readAll<{ agentId: AgentId }>(connection.db, sql)) {
      // What the device shows, which is more than what it could write down.
      if (!device.seesWentBack(agentId)) continue;
      void device.control?.bump(agentId, 'Person').then((raised) => {
        if (raised.ok) this.made += 1;
      });
    }
  }
}
