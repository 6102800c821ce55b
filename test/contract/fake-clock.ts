import type { HostClock } from '../../src/main/host/clock.ts';

/** A clock that only a test moves. Lease time in these suites is this time, so nothing waits for it. */
export interface FakeClock extends HostClock {
  /** All three clocks go on together, ms. */
  pass(ms: number): void;
  /** The machine starts again: a new boot, whose clock begins at nothing. */
  reboot(): void;
  /** Sets the boot clock and the name of the boot; for what a real machine does only now and then. */
  set(instant: { readonly bootId: string; readonly bootMs: number }): void;
}

/** Begins an hour after the start of the machine. */
export function createFakeClock(bootId = 'boot-1'): FakeClock {
  let boots = 1;
  let instant = { bootId, bootMs: 3_600_000 };
  let wallMs = Date.UTC(2026, 10, 29, 7);
  return {
    read: () => ({ wallMs, monotonicMs: instant.bootMs, bootMs: instant.bootMs }),
    instant: () => instant,
    pass(ms) {
      wallMs += ms;
      instant = { ...instant, bootMs: instant.bootMs + ms };
    },
    reboot() {
      boots += 1;
      wallMs += 60_000;
      instant = { bootId: `boot-${boots}`, bootMs: 20_000 };
    },
    set(next) {
      instant = next;
    },
  };
}
