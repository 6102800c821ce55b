import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = findLibrary();

/** Whether calendars of servers can be stepped here. Where they cannot, one line says so and their suites are skipped. */
export const canStepServerClocks = LIBRARY !== null;
if (!canStepServerClocks)
  process.stdout.write('There is no libfaketime on this machine: tests that step the clocks of servers are skipped.\n');

/** `faketime` of Debian and Fedora keeps it in a folder of its own, below that of the processor. */
function findLibrary(): string | null {
  if (process.platform !== 'linux') return null;
  const roots = ['/usr/lib64', '/usr/lib', ...readdirSync('/usr/lib').map((each) => join('/usr/lib', each))];
  const files = roots.map((root) => join(root, 'faketime', 'libfaketimeMT.so.1'));
  return files.find((file) => existsSync(file)) ?? null;
}

/** The calendar of one server and of its children, which is stepped while they run. Clocks that measure stay right. */
export class ServerClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fencepost-clock-'));
  readonly #file = join(this.#folder, 'offset');

  constructor() {
    // Read by servers that run without rights.
    chmodSync(this.#folder, 0o755);
    this.set(0);
  }

  /** What the server is started with. */
  get environment(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: LIBRARY ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** From now on it is wrong by so many seconds. Nobody ever reads half of a number. */
  set(seconds: number): void {
    writeFileSync(`${this.#file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
