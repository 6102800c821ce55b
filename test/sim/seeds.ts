import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One line of `run-seeds.ts`. */
export interface SeedReport {
  readonly seed: number;
  readonly violation: string | null;
  readonly fingerprint: string;
  readonly simulatedMs: number;
  readonly events: number;
  readonly effects: number;
  readonly tookMs: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly coverage: Readonly<Record<string, number>>;
}

/** Which seeds, and how; `options` are those of `run-seeds.ts`. */
export interface SeedRange {
  readonly from: number;
  readonly count: number;
  readonly options?: readonly string[];
}

const SCRIPT = fileURLToPath(new URL('run-seeds.ts', import.meta.url));

/** Runs seeds in a process of their own, with whatever is planted there. */
async function runRange({ from, count, options = [] }: SeedRange): Promise<SeedReport[]> {
  const args = [SCRIPT, '--from', String(from), '--count', String(count), ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const reports: SeedReport[] = [];
  for await (const line of createInterface({ input: child.stdout })) reports.push(JSON.parse(line) as SeedReport);
  const code = await closed;
  if (code !== 0) throw new Error(`The simulator ended with ${code} after seed ${reports.at(-1)?.seed ?? from - 1}.`);
  return reports;
}

/** Runs seeds on all processors, a share of them at a time. */
export async function runSeeds(range: SeedRange, shareCount = 50): Promise<SeedReport[]> {
  const shares: SeedRange[] = [];
  for (let at = 0; at < range.count; at += shareCount) {
    shares.push({ ...range, from: range.from + at, count: Math.min(shareCount, range.count - at) });
  }
  const reports: SeedReport[] = [];
  const work = async (): Promise<void> => {
    for (let share = shares.shift(); share !== undefined; share = shares.shift())
      reports.push(...(await runRange(share)));
  };
  await Promise.all(Array.from({ length: Math.max(2, cpus().length) }, work));
  return reports.toSorted((one, other) => one.seed - other.seed);
}

/** Runs seeds one after the other until one of them is violated; `null` if none is. */
export async function firstViolation(range: SeedRange): Promise<SeedReport | null> {
  const reports = await runRange({ ...range, options: [...(range.options ?? []), '--until-violation'] });
  return reports.find((report) => report.violation !== null) ?? null;
}

/** Adds numbers up by their names. */
export function addUp(all: readonly Readonly<Record<string, number>>[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const each of all)
    for (const [name, count] of Object.entries(each)) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}
