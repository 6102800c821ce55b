import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { ClockReading, LeaseInstant } from '../../shared/core/lease/clock.ts';

/** The machine's clocks, as the host and the register read them. Tests bring one of their own. */
export interface HostClock {
  /** Three clocks, read together, ms. */
  read(): ClockReading;
  /** Now on the boot clock, comparable across the processes of one boot. */
  instant(): LeaseInstant;
}

/** Where nothing names the boot. A boot clock that went back is then the only sign of a restart. */
export const UNKNOWN_BOOT = 'unknown-boot';

/** How long the question for the boot's name may take, ms. */
const ASK_LIMIT_MS = 5_000;

/** The real clocks. */
export function createHostClock(): HostClock {
  const bootId = readBootId();
  return {
    read: () => ({ wallMs: Date.now(), monotonicMs: performance.now(), bootMs: readBootMs() }),
    instant: () => ({ bootId, bootMs: readBootMs() }),
  };
}

/**
 * Time since the start of the machine, sleep included on Linux, macOS and Windows (reference: reliability, finding 3).
 * Linux answers in hundredths of a second and Windows in milliseconds. macOS answers in whole seconds of the wall clock,
 * so that the fraction of the wall clock is the missing fraction; without it the three clocks would seem to disagree.
 */
function readBootMs(): number {
  for (;;) {
    const before = Date.now();
    const seconds = uptime();
    if (!Number.isInteger(seconds) || process.platform !== 'darwin') return seconds * 1_000;
    // Read again if the second turned in between: the fraction would belong to another second.
    if (Math.floor(before / 1_000) === Math.floor(Date.now() / 1_000)) return seconds * 1_000 + (before % 1_000);
  }
}

function readBootId(): string {
  try {
    const id = askForBootId();
    return id === '' ? UNKNOWN_BOOT : id;
  } catch {
    // Not readable here: the boot clock itself is the evidence then.
    return UNKNOWN_BOOT;
  }
}

function askForBootId(): string {
  const { platform } = process;
  if (platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  if (platform === 'darwin') return askSystemProgram('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
  if (platform !== 'win32') return '';
  const key = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters`;
  const program = `${process.env['SystemRoot'] ?? String.raw`C:\Windows`}\\System32\\reg.exe`;
  return /0x[0-9a-f]+/iu.exec(askSystemProgram(program, ['query', key, '/v', 'BootId']))?.[0] ?? '';
}

/** What a program of the system prints, trimmed. Full paths only: the search path is not asked which program that is. @throws Error */
export function askSystemProgram(program: string, argv: readonly string[]): string {
  return execFileSync(program, [...argv], { encoding: 'utf8', timeout: ASK_LIMIT_MS, windowsHide: true }).trim();
}
