import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { ClockReading, LeaseInstant } from '../../shared/core/lease/clock.ts';

/** The machine's clocks, as the host and the register read them. */
export interface HostClock {
  /** Three clocks, read together, ms. */
  read(): ClockReading;
  /** Now on the boot clock, comparable across processes of one boot. */
  instant(): LeaseInstant;
}

/** Where nothing names the boot: a boot clock that went back then tells of a restart. */
export const UNKNOWN_BOOT = 'unknown-boot';

/** The real clocks. `os.uptime()` counts sleep on Linux, macOS and Windows alike. */
export function createHostClock(): HostClock {
  const bootId = readBootId();
  return {
    read: () => ({ wallMs: Date.now(), monotonicMs: performance.now(), bootMs: uptime() * 1_000 }),
    instant: () => ({ bootId, bootMs: uptime() * 1_000 }),
  };
}

function readBootId(): string {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin') return run('sysctl', ['-n', 'kern.bootsessionuuid']);
    if (process.platform === 'win32') {
      const key = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters`;
      return /0x[0-9a-f]+/iu.exec(run('reg', ['query', key, '/v', 'BootId']))?.[0] ?? UNKNOWN_BOOT;
    }
  } catch {
    // Not readable here: the boot clock itself is the evidence then.
  }
  return UNKNOWN_BOOT;
}

function run(program: string, argv: readonly string[]): string {
  return execFileSync(program, [...argv], { encoding: 'utf8', timeout: 5_000, windowsHide: true }).trim();
}
