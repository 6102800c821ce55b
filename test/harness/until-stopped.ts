import { readdirSync, readFileSync } from 'node:fs';

/** How long a process may go on after it was told to stop, ms. */
const LIMIT_MS = 5_000;

/**
 * Waits, without a turn of the loop, until no thread of a process runs any more: SIGSTOP is only a request, and on a busy
 * machine a process may answer once more after it. Linux tells; elsewhere this returns at once.
 */
export function waitUntilStopped(pid: number): void {
  if (process.platform !== 'linux') return;
  const until = performance.now() + LIMIT_MS;
  while (performance.now() < until) {
    if (threadStates(pid).every((state) => state === 'T' || state === 't' || state === 'Z')) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  throw new Error(`Process ${pid} does not stop.`);
}

/** One letter for each thread, as `/proc` has it; none for a process that is gone. */
function threadStates(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      // The name in front of it may hold anything, closing brackets too.
      return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    });
  } catch {
    return [];
  }
}
