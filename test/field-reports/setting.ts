import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostClock } from '../../src/main/host/clock.ts';
import { steadyClock } from '../../src/main/host/testing/steady-clock.ts';
import { Receiver } from '../harness/receiver.ts';
import { temporaryFolder } from '../harness/strategies.ts';
import { Device, ShiftedClock } from './device-bench.ts';

/** The outside world of one test: a receiver, a register file with a clock of its own, and as many devices as it needs. */
export class Setting {
  readonly receiver: Receiver;
  readonly registerFile = join(temporaryFolder(), 'register.sqlite');
  readonly registerClock: ShiftedClock;
  readonly #clock: HostClock;
  readonly #devices: Device[] = [];
  readonly #folders = new Set([dirname(this.registerFile)]);

  private constructor(receiver: Receiver, clock: HostClock) {
    this.receiver = receiver;
    this.#clock = clock;
    this.registerClock = new ShiftedClock(clock);
  }

  /**
   * Runs a test in a setting of its own, so that several can wait at the same time. Where other processes share its register,
   * the clock has to be the one that they read.
   */
  static async with(play: (setting: Setting) => Promise<void>, clock: HostClock = steadyClock): Promise<void> {
    const setting = new Setting(await Receiver.start(), clock);
    try {
      await play(setting);
    } finally {
      for (const device of setting.#devices) await device.vanish();
      await setting.receiver.close();
      for (const folder of setting.#folders) rmSync(folder, { recursive: true, force: true });
    }
  }

  get origin(): string {
    return this.receiver.origin;
  }

  /** Another device on the same register; in an old folder, the same device once more. */
  device(of: { clock?: ShiftedClock; folder?: string } = {}): Device {
    const { clock = new ShiftedClock(this.#clock), folder = temporaryFolder() } = of;
    const { registerFile, registerClock } = this;
    const device = new Device({ folder, registerFile, clock, registerClock });
    this.#devices.push(device);
    this.#folders.add(folder);
    return device;
  }

  /** Time goes on for the register and for these clocks. */
  pass(ms: number, ...clocks: readonly ShiftedClock[]): void {
    for (const clock of [this.registerClock, ...clocks]) clock.pass(ms);
  }
}
