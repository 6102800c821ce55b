import type { HostClock } from '../../src/main/host/clock.ts';
import type { Random } from '../harness/random.ts';
import type { ClockReading, LeaseInstant } from '../../src/shared/core/lease/clock.ts';

/** How fast each clock of a machine runs, against true time. */
export interface ClockRates {
  readonly wall: number;
  readonly monotonic: number;
  readonly boot: number;
}

/** How far a clock that is not a bad one is out, against true time. */
export const SLOWEST_RATE = 0.93;
export const FASTEST_RATE = 1.07;

/** The calendar at the beginning of every simulation. */
const START_WALL_MS = Date.UTC(2026, 10, 29, 7);

/** A clock that runs a little fast or slow, its calendar off by up to an hour; a bad one has one of the three far out. */
export function drawMachineClock(
  name: string,
  random: Random,
  of: { readonly trueMs: () => number; readonly hasBadClock: boolean },
): MachineClock {
  const rate = random.between(SLOWEST_RATE, FASTEST_RATE);
  const rates = { wall: rate, monotonic: rate, boot: rate };
  if (of.hasBadClock) rates[random.pick(['wall', 'monotonic', 'boot'] as const)] *= random.between(0.5, 2);
  const wallOffsetMs = random.chance(0.3) ? random.between(-3_600_000, 3_600_000) : random.between(-500, 500);
  return new MachineClock(name, { trueMs: of.trueMs, rates, countsSleep: random.chance(0.5), wallOffsetMs });
}

/** The three clocks of one simulated machine, each wrong in its own way. */
export class MachineClock implements HostClock {
  readonly #trueMs: () => number;
  #rates: ClockRates;
  /** Whether the monotonic clock counts a sleep: it does on Windows, it does not on Linux. */
  readonly #countsSleep: boolean;
  readonly #name: string;
  #boots = 1;
  #lastTrueMs = 0;
  #wallMs: number;
  #monotonicMs = 0;
  #bootMs: number;
  #isAsleep = false;

  constructor(
    name: string,
    of: { trueMs: () => number; rates: ClockRates; countsSleep: boolean; wallOffsetMs: number },
  ) {
    this.#name = name;
    this.#trueMs = of.trueMs;
    this.#rates = of.rates;
    this.#countsSleep = of.countsSleep;
    this.#wallMs = START_WALL_MS + of.wallOffsetMs;
    this.#bootMs = 60_000;
  }

  #goOn(): void {
    const nowMs = this.#trueMs();
    const passedMs = nowMs - this.#lastTrueMs;
    if (passedMs <= 0) return;
    this.#lastTrueMs = nowMs;
    this.#wallMs += passedMs * this.#rates.wall;
    this.#bootMs += passedMs * this.#rates.boot;
    if (!this.#isAsleep || this.#countsSleep) this.#monotonicMs += passedMs * this.#rates.monotonic;
  }

  read(): ClockReading {
    this.#goOn();
    return { wallMs: Math.floor(this.#wallMs), monotonicMs: this.#monotonicMs, bootMs: this.#bootMs };
  }

  instant(): LeaseInstant {
    this.#goOn();
    return { bootId: `${this.#name}-boot-${this.#boots}`, bootMs: this.#bootMs };
  }

  /** Somebody, or NTP, sets the calendar. */
  stepWall(byMs: number): void {
    this.#goOn();
    this.#wallMs = Math.max(0, this.#wallMs + byMs);
  }

  /** All three run alike from now on, as fast as the two did that were right. */
  heal(): void {
    this.#goOn();
    const [, rate = 1] = Object.values(this.#rates).toSorted((one, other) => one - other);
    this.#rates = { wall: rate, monotonic: rate, boot: rate };
  }

  sleep(isAsleep: boolean): void {
    this.#goOn();
    this.#isAsleep = isAsleep;
  }

  reboot(): void {
    this.#goOn();
    this.#boots += 1;
    this.#monotonicMs = 0;
    this.#bootMs = 5_000;
    this.#isAsleep = false;
  }

  /** True time that passes while this machine counts so many ms on its monotonic clock. */
  trueDelayMs(delayMs: number): number {
    return delayMs / this.#rates.monotonic;
  }
}
