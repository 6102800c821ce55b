/** Times of single operations, ms. */
export interface Samples {
  readonly name: string;
  readonly times: readonly number[];
  /** Operations in all divided by the whole time, per second. */
  readonly perSecond: number;
}

/** What is printed of them. */
export interface Summary {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

/** The time that a share of the samples stayed within. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle of a list. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Times each call of an operation, after some that are not counted. */
export async function timeEach(
  name: string,
  of: { warmUp: number; count: number },
  operation: () => unknown,
): Promise<Samples> {
  for (let index = 0; index < of.warmUp; index += 1) await operation();
  const times: number[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < of.count; index += 1) {
    const before = performance.now();
    await operation();
    times.push(performance.now() - before);
  }
  return { name, times, perSecond: (of.count / (performance.now() - startedAt)) * 1_000 };
}

/** One round's figures. */
export function summarise({ times, perSecond }: Samples): Summary {
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), perSecond };
}

/** The middle figure of several rounds, so that one disturbed round does not decide. */
export function middle(rounds: readonly Summary[]): Summary {
  return {
    p50: median(rounds.map((each) => each.p50)),
    p99: median(rounds.map((each) => each.p99)),
    perSecond: median(rounds.map((each) => each.perSecond)),
  };
}

/** How far the rounds lie apart: the slowest middle over the fastest. 1 is a quiet machine. */
export function noise(rounds: readonly Summary[]): number {
  const middles = rounds.map((each) => each.p50);
  return Math.max(...middles) / Math.min(...middles);
}

/** A number for a table. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3);
}
