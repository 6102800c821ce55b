import { Mover } from '../../src/main/host/move/mover.ts';
import type { Random } from '../harness/random.ts';
import { NATURE } from './event-queue.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { Registers } from './registers.ts';
import type { SimDevice } from './sim-device.ts';

/** How often somebody does something about a move while it is under way, ms. */
const PRESS_MS = 8_000;
interface MovesOptions {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly faults: FaultLog;
  readonly devices: readonly SimDevice[];
  readonly registers: Registers;
}

/** The real `Mover` on every device, begun, left off and begun again by a person, who finishes a move before the next one. */
export class Moves {
  /** How often one was begun, left off, and over. */
  begun = 0;
  leftOff = 0;
  over = 0;
  readonly #of: MovesOptions;
  readonly #movers = new Map<SimDevice, { readonly owner: Owner; readonly mover: Mover }>();
  /** The register that everything is to be at. */
  #wanted = 0;

  constructor(of: MovesOptions) {
    this.#of = of;
  }

  begin(): void {
    const { queue, random, faults } = this.#of;
    queue.after(-Math.log(1 - random.next()) * PRESS_MS, NATURE, () => {
      if (faults.isOver) return;
      this.begin();
      this.#act();
    });
  }

  /** At the end nobody leaves a device behind. */
  finish(): void {
    for (const device of this.#of.devices) this.#press(device);
  }

  #act(): void {
    const { devices, random } = this.#of;
    const isOver = devices.every((device) => this.#isThere(device));
    if (isOver && random.chance(0.4)) this.#wanted = this.#wanted === 0 ? 1 : 0;
    const device = random.pick(devices);
    const running = this.#runningOn(device);
    if (running === null) return this.#press(device);
    if (!random.chance(0.15)) return;
    this.leftOff += 1;
    void running.cancel();
  }

  #isThere(device: SimDevice): boolean {
    return this.#of.registers.usedBy(device.name).chosen === this.#wanted && this.#runningOn(device) === null;
  }

  #runningOn(device: SimDevice): Mover | null {
    const known = this.#movers.get(device);
    const isRunning = known?.owner.isAlive === true && known.mover.view()?.state === 'running';
    return isRunning ? known.mover : null;
  }

  #press(device: SimDevice): void {
    const { registers } = this.#of;
    const { host } = device;
    const { inUse, chosen } = registers.usedBy(device.name);
    if (host === null || inUse?.owner.isAlive !== true || chosen === this.#wanted) return;
    // An agent that is made on a device after that is a new one there, whatever another device has under its name.
    if (!device.hasAgents()) return;
    const { owner, current } = inUse;
    const known = this.#movers.get(device);
    const mover =
      known?.owner === owner ? known.mover : new Mover({ state: host.state, current, changed: () => host.wake() });
    this.#movers.set(device, { owner, mover });
    const wanted = this.#wanted;
    const started = mover.start({
      ...registers.choice(device.name, wanted, owner),
      by: 'Person',
      // In the profile, like everything that is durable: it fails where that cannot be written.
      keep: async () => {
        const kept = await host.state.ports.store.write(() => undefined);
        if (!kept.ok) return kept;
        registers.keep(device.name, wanted);
        this.over += 1;
        return kept;
      },
    });
    if (started.ok) this.begun += 1;
  }
}
