import { CRASH_POINTS } from '../../src/main/host/crash-points.ts';
import type { CrashPoint } from '../../src/main/host/crash-points.ts';
import { NATURE } from './event-queue.ts';
import type { EventQueue } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { Random } from '../harness/random.ts';
import type { SimDevice } from './sim-device.ts';
import type { Link } from './sim-network.ts';
import type { RegisterNode } from './sim-register.ts';
import type { Fault, Swarm } from './swarm.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;

/** What trouble can be made with. */
export interface TroubleParts {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly swarm: Swarm;
  readonly faults: FaultLog;
  readonly devices: readonly SimDevice[];
  readonly links: readonly Link[];
  readonly nodes: readonly RegisterNode[];
  /** Told when an old register was put back. */
  putBack(): void;
}

/** Faults that come from outside, at random moments. Those of one message or one commit are drawn where they happen. */
type Moment = Extract<
  Fault,
  | 'cut'
  | 'one-way-cut'
  | 'pause'
  | 'crash'
  | 'crash-at-point'
  | 'disk-lies'
  | 'disk-lies-in-part'
  | 'disk-lies-unnoticed'
  | 'disk-dead'
  | 'busy-storm'
  | 'sleep'
  | 'reboot'
  | 'wall-step'
  | 'false-suspend'
  | 'register-crash'
  | 'register-restored'
>;

/** How long passes between two of a kind at intensity 1, ms. */
const MEAN_GAP_MS: Readonly<Record<Moment, number>> = {
  cut: MINUTE_MS,
  'one-way-cut': MINUTE_MS,
  pause: 0.5 * MINUTE_MS,
  crash: MINUTE_MS,
  'crash-at-point': MINUTE_MS,
  'disk-lies': 2 * MINUTE_MS,
  'disk-lies-in-part': 2 * MINUTE_MS,
  'disk-lies-unnoticed': 2 * MINUTE_MS,
  'disk-dead': 2 * MINUTE_MS,
  'busy-storm': MINUTE_MS,
  sleep: 2 * MINUTE_MS,
  reboot: 4 * MINUTE_MS,
  'wall-step': MINUTE_MS,
  'false-suspend': MINUTE_MS,
  'register-crash': 1.5 * MINUTE_MS,
  'register-restored': 3 * MINUTE_MS,
};

export class Trouble {
  readonly #of: TroubleParts;
  /** Devices that die at the next of these points. */
  readonly #deadly = new Map<SimDevice, { point: CrashPoint; left: number }>();
  /** Devices that are to stay as they are for now. */
  readonly #asleep = new Set<SimDevice>();

  constructor(of: TroubleParts) {
    this.#of = of;
  }

  /** Every device starts: the last one `latecomerMs` after the others. */
  startAll(latecomerMs: number): void {
    const { devices } = this.#of;
    for (const device of devices)
      if (latecomerMs > 0 && device === devices.at(-1)) this.#startLater(device, latecomerMs);
      else device.start();
  }

  /** Plans trouble of every kind that the seed drew, until everything is to be well again. */
  begin(): void {
    const { swarm } = this.#of;
    for (const kind of Object.keys(MEAN_GAP_MS) as Moment[]) if (swarm.faults.has(kind)) this.#plan(kind);
  }

  #plan(kind: Moment): void {
    const { queue, random, swarm, faults } = this.#of;
    const gapMs = (-Math.log(1 - random.next()) * MEAN_GAP_MS[kind]) / swarm.intensity;
    queue.after(gapMs, NATURE, () => {
      if (faults.isOver) return;
      this.#plan(kind);
      faults.count(kind);
      this.#make(kind, random.below(this.#of.devices.length));
    });
  }

  #make(kind: Moment, index: number): void {
    const { queue, random, links, devices } = this.#of;
    const device = devices[index];
    const link = links[index];
    if (device === undefined || link === undefined) return;
    switch (kind) {
      case 'cut':
        link.cutUntilMs = queue.nowMs + random.heavyTail(8_000);
        return;
      case 'one-way-cut':
        link.deafUntilMs = queue.nowMs + random.heavyTail(8_000);
        return;
      case 'pause':
        return this.#pause(device, random.chance(0.1) ? random.between(0, 10 * MINUTE_MS) : random.heavyTail(4_000));
      case 'crash':
        return random.chance(0.25) ? this.#quit(device) : this.kill(device);
      case 'crash-at-point':
        this.#deadly.set(device, { point: random.pick(CRASH_POINTS), left: random.below(3) });
        return;
      case 'disk-lies':
        return device.disk.lie('wholly');
      case 'disk-lies-in-part':
        return device.disk.lie('in-part');
      case 'disk-lies-unnoticed':
        return device.disk.lie('unnoticed');
      case 'disk-dead':
        return this.#breakDisk(device);
      case 'busy-storm':
        return device.disk.storm(random.heavyTail(4_000));
      case 'sleep':
        return this.#sleep(device, random.heavyTail(40_000));
      case 'reboot':
        return this.#reboot(device);
      case 'wall-step':
        return device.clock.stepWall(this.#step());
      case 'false-suspend':
        return device.host?.noteSuspend();
      default:
        return this.#troubleRegister(kind);
    }
  }

  #step(): number {
    const { random } = this.#of;
    const byMs = random.pick([1_000, 5_000, 3_600_000, 86_400_000, 10 * YEAR_MS]) * random.between(0.5, 1);
    return random.chance(0.5) ? byMs : -byMs;
  }

  #pause(device: SimDevice, forMs: number): void {
    const { owner } = device;
    if (owner !== null) owner.pausedUntilMs = Math.max(owner.pausedUntilMs, this.#of.queue.nowMs + forMs);
  }

  /** The lid is closed. Whether anybody hears of it, and when, is as unreliable as on real machines. */
  #sleep(device: SimDevice, forMs: number): void {
    const { queue, random } = this.#of;
    if (this.#asleep.has(device)) return;
    this.#asleep.add(device);
    if (random.chance(0.3)) device.host?.noteSuspend();
    device.clock.sleep(true);
    this.#pause(device, forMs);
    queue.after(forMs, NATURE, () => {
      this.#asleep.delete(device);
      device.clock.sleep(false);
      if (random.chance(0.5)) queue.after(random.heavyTail(500), NATURE, () => device.host?.noteSuspend());
    });
  }

  #reboot(device: SimDevice): void {
    device.crash();
    device.clock.reboot();
    this.#startLater(device, this.#of.random.heavyTail(20_000));
  }

  /** Nothing can be written or opened any more, for as long as nobody puts another disk in with what was on this one. */
  #breakDisk(device: SimDevice): void {
    const { queue, random } = this.#of;
    device.disk.break();
    queue.after(random.heavyTail(30_000), NATURE, () => {
      device.disk.heal();
      this.#reboot(device);
    });
  }

  /** SIGKILL; somebody, or the system, starts it again later. */
  kill(device: SimDevice): void {
    device.crash();
    this.#startLater(device, this.#of.random.heavyTail(5_000));
  }

  /** Somebody quits, and starts it again later. */
  #quit(device: SimDevice): void {
    void device.quit().then(() => this.#startLater(device, this.#of.random.heavyTail(5_000)));
  }

  #startLater(device: SimDevice, afterMs: number): void {
    this.#of.queue.after(afterMs, NATURE, () => {
      if (device.control === null && !device.start()) this.#startLater(device, 2_000);
    });
  }

  /** A crash point was passed: is it the one to die at? */
  passed(device: SimDevice, point: CrashPoint): void {
    const { swarm, random, faults } = this.#of;
    const isFrozen = swarm.faults.has('pause') && !faults.isOver && random.chance(0.04 * swarm.intensity);
    if (isFrozen) {
      // At every await point, but most of all between what the register said and what is done about it.
      faults.count('pause');
      this.#pause(device, random.between(500, swarm.longestPauseMs));
    }
    const deadly = this.#deadly.get(device);
    if (deadly?.point !== point || this.#of.faults.isOver) return;
    deadly.left -= 1;
    if (deadly.left >= 0) return;
    this.#deadly.delete(device);
    this.kill(device);
  }

  #troubleRegister(kind: Moment): void {
    const { nodes, queue, random } = this.#of;
    const node = nodes.length > 1 ? random.pick(nodes) : nodes[0];
    if (node === undefined) return;
    if (kind === 'register-restored') {
      if (random.chance(0.5)) node.takeCopy();
      else if (node.putBack()) this.#of.putBack();
      return;
    }
    node.isUp = false;
    const isReboot = random.chance(0.6);
    const downMs = random.chance(0.4) ? 50 : random.heavyTail(5_000);
    queue.after(downMs, NATURE, () => node.restart(isReboot));
  }

  /** Whatever is broken works again. What went wrong stays as it is. */
  end(): void {
    const { faults, links, nodes, devices } = this.#of;
    faults.isOver = true;
    for (const link of links) Object.assign(link, { cutUntilMs: 0, deafUntilMs: 0 });
    for (const node of nodes) node.isUp = true;
    for (const device of devices) {
      device.disk.heal();
      device.clock.sleep(false);
      device.clock.heal();
      if (device.owner !== null) device.owner.pausedUntilMs = 0;
      if (device.control === null) this.#startLater(device, 0);
    }
  }
}
