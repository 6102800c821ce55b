import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import os from 'node:os';

/** What a program and its children may use together. */
export interface GroupLimits {
  readonly processes: number;
  readonly residentBytes: number;
}

/** What a group of processes uses. Memory that two of them share counts twice. */
interface GroupUsage {
  readonly processes: number;
  readonly residentBytes: number;
}

/** Far more than a build or a test run takes, and less than what makes the device unusable. */
export const GROUP_LIMITS: GroupLimits = { processes: 512, residentBytes: Math.floor(os.totalmem() * 0.75) };
/** How often to look, ms. The first look comes this late too, so that a short program costs nothing. */
const LOOK_EVERY_MS = 1_000;

/**
 * Looks at a process group until it is told to stop, and says once which limit was passed. It only looks: limits of the
 * system would have to be set by another program in between, count everything that the account runs, or bound addresses
 * instead of memory, which stops Node and Java at once. Windows has no process groups, so nobody looks there.
 */
export function watchGroup(
  groupId: number,
  limits: GroupLimits,
  passed: (code: 'memory-limit' | 'process-limit') => void,
): () => void {
  if (process.platform === 'win32') return () => {};
  let isWatching = true;
  let timer: NodeJS.Timeout;
  const look = async () => {
    const usage = await usageOf(groupId);
    if (!isWatching) return;
    if (usage !== null && usage.processes > limits.processes) passed('process-limit');
    else if (usage !== null && usage.residentBytes > limits.residentBytes) passed('memory-limit');
    else timer = later();
  };
  // A look never rejects: what cannot be seen is no reason to end a program.
  const later = () => setTimeout(() => void look(), LOOK_EVERY_MS);
  timer = later();
  return () => {
    isWatching = false;
    clearTimeout(timer);
  };
}

async function usageOf(groupId: number): Promise<GroupUsage | null> {
  try {
    return process.platform === 'linux' ? await fromProc(groupId) : await fromPs(groupId);
  } catch {
    return null;
  }
}

async function fromProc(groupId: number): Promise<GroupUsage> {
  let processes = 0;
  let residentBytes = 0;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/u.test(entry)) continue;
    // A process may end between two looks at it.
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // The name of the program stands in brackets and may hold anything; the group is the third field behind it.
    const [, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (group !== String(groupId)) continue;
    processes += 1;
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '');
    residentBytes += Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? 0) * 1024;
  }
  return { processes, residentBytes };
}

/** As macOS and the BSDs tell it; also understood by the `ps` of Linux. */
export function fromPs(groupId: number): Promise<GroupUsage> {
  return new Promise((resolve, reject) => {
    execFile('/bin/ps', ['-axo', 'pgid=,rss='], { timeout: 5_000, maxBuffer: 4 * 1024 * 1024 }, (error, output) => {
      if (error !== null) {
        reject(new Error('The processes could not be listed.'));
        return;
      }
      const rows = output.split('\n').map((line) => line.trim().split(/\s+/u).map(Number));
      const members = rows.filter(([group]) => group === groupId);
      const kilobytes = members.reduce((sum, [, resident]) => sum + (resident ?? 0), 0);
      resolve({ processes: members.length, residentBytes: kilobytes * 1024 });
    });
  });
}
