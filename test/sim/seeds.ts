import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Size } from './lessen.ts';

/** One line of `run-seeds.ts`. */
export interface SeedReport {
  readonly seed: number;
  readonly violation: string | null;
  readonly fingerprint: string;
  readonly simulatedMs: number;
  readonly troubledMs: number;
  readonly toRestMs: number;
  readonly events: number;
  readonly effects: number;
  /** How large the seed was. */
  readonly size: Size;
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

/** So many seeds pay for the start of a process many times over. */
const MOST_COUNT = 250;

/**
 * Runs seeds on all processors. Each process takes half of its part of what is left, and no fewer than `leastCount`: long at
 * first, since what Node makes of the sources pays only after many seeds, and short at the end, so that all end together.
 */
export async function runSeeds(range: SeedRange, leastCount = 20): Promise<SeedReport[]> {
  const processes = Math.max(2, cpus().length);
  const end = range.from + range.count;
  let next = range.from;
  const reports: SeedReport[] = [];
  const work = async (): Promise<void> => {
    while (next < end) {
      const from = next;
      const half = Math.ceil((end - from) / (2 * processes));
      const count = Math.min(end - from, MOST_COUNT, Math.max(leastCount, half));
      next += count;
      reports.push(...(await runRange({ ...range, from, count })));
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
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
