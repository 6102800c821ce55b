import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure, middle, noise, summarise, timeEach } from './measure.ts';
import type { Samples, Summary } from './measure.ts';
import { createPipelineBench } from './pipeline-bench.ts';
import type { PipelineBench } from './pipeline-bench.ts';
import { createFlushProbe, createRawCeiling } from './raw-ceiling.ts';

const ROUNDS = 7;
/** Effects that are counted in a round, one at a time; and before them, uncounted. */
const COUNT = 400;
const WARM_UP = 60;
const IN_FLIGHT = 32;
const GROUPS = 60;
/** Effects in one run, as in the comparison with the neighbours (reference: peers, workload W1). */
const RUN_LENGTH = 20;
/** How far into one run its effects are compared with its first, and how many of each are. */
const LATE = 5_000;
const LATE_SAMPLES = 300;

type Step = { readonly name: string; readonly run: () => Promise<Samples> };

/** What a benchmark came to, for the file and the table. */
export interface BenchResult {
  readonly rounds: Readonly<Record<string, readonly Summary[]>>;
  readonly figures: Readonly<Record<string, number>>;
  readonly lines: readonly string[];
}

/** Added cost of an effect in interleaved rounds: flush probe, raw ceiling, Fencepost, and both in groups of 32. */
export async function effectCost(): Promise<BenchResult> {
  const folder = mkdtempSync(join(process.env['FENCEPOST_BENCH_FOLDER'] ?? tmpdir(), 'fencepost-bench-'));
  const probe = createFlushProbe(folder);
  const raw = createRawCeiling(folder);
  const pipeline = await createPipelineBench(folder);
  let runId = await pipeline.newRun();
  let done = 0;
  const nextEffect = async (): Promise<void> => {
    if (done % RUN_LENGTH === 0) runId = await pipeline.newRun();
    done += 1;
    await pipeline.effect(runId);
  };
  const runs = await Promise.all(Array.from({ length: IN_FLIGHT }, () => pipeline.newRun()));
  const steps: readonly Step[] = [
    { name: 'flush', run: () => timeEach('flush', { warmUp: WARM_UP, count: COUNT }, () => probe.probe()) },
    { name: 'raw', run: () => timeEach('raw', { warmUp: WARM_UP, count: COUNT }, () => raw.one()) },
    { name: 'fencepost', run: () => timeEach('fencepost', { warmUp: WARM_UP, count: COUNT }, nextEffect) },
    { name: 'rawGroup', run: () => timeEach('rawGroup', { warmUp: 10, count: GROUPS }, () => raw.group(IN_FLIGHT)) },
    {
      name: 'fencepostGroup',
      run: () =>
        timeEach('fencepostGroup', { warmUp: 10, count: GROUPS }, () =>
          Promise.all(runs.map((each) => pipeline.effect(each))),
        ),
    },
  ];
  const rounds: Record<string, Summary[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each round begins with another step, so that none always follows the same neighbour.
    for (let at = 0; at < steps.length; at += 1) {
      const step = steps[(at + round) % steps.length];
      if (step !== undefined) (rounds[step.name] ??= []).push(summarise(await step.run()));
    }
  }
  const late = process.argv.includes('--without-late') ? null : await lateCost(pipeline);
  pipeline.close();
  raw.close();
  probe.close();
  rmSync(folder, { recursive: true, force: true });
  return report(rounds, late);
}

/** Effects near the 5,000th of a run against those near its tenth, taken in turns. */
async function lateCost(pipeline: PipelineBench): Promise<number> {
  const old = await pipeline.newRun();
  for (let index = 0; index < LATE; index += 1) await pipeline.effect(old);
  const early: number[] = [];
  const late: number[] = [];
  for (let index = 0; index < LATE_SAMPLES;) {
    const fresh = await pipeline.newRun();
    for (let at = 0; at < RUN_LENGTH; at += 1, index += 1) {
      for (const [runId, times] of [
        [fresh, early],
        [old, late],
      ] as const) {
        const before = performance.now();
        await pipeline.effect(runId);
        times.push(performance.now() - before);
      }
    }
  }
  const half = (times: readonly number[]): number => summarise({ name: '', times, perSecond: 0 }).p50;
  return half(late) / half(early);
}

function ratios(
  rounds: Readonly<Record<string, readonly Summary[]>>,
  one: string,
  other: string,
  member: keyof Summary,
): number {
  // Round by round: both were measured within the same second or two.
  const each = (rounds[one] ?? []).map(
    (summary, round) => summary[member] / (rounds[other]?.[round]?.[member] ?? Number.NaN),
  );
  return middle(each.map((value) => ({ p50: value, p99: value, perSecond: value }))).p50;
}

function report(rounds: Readonly<Record<string, readonly Summary[]>>, late: number | null): BenchResult {
  const figures: Record<string, number> = {
    p50OverRaw: ratios(rounds, 'fencepost', 'raw', 'p50'),
    p99OverRaw: ratios(rounds, 'fencepost', 'raw', 'p99'),
    rawOverFlush: ratios(rounds, 'raw', 'flush', 'p50'),
    groupShareOfRaw: ratios(rounds, 'fencepostGroup', 'rawGroup', 'perSecond'),
    groupEffectsPerSecond: middle(rounds['fencepostGroup'] ?? []).perSecond * IN_FLIGHT,
    rawGroupEffectsPerSecond: middle(rounds['rawGroup'] ?? []).perSecond * IN_FLIGHT,
    flushNoise: noise(rounds['flush'] ?? []),
    ...(late === null ? {} : { lateOverEarly: late }),
  };
  const lines = Object.entries(rounds).map(([name, all]) => {
    const { p50, p99, perSecond } = middle(all);
    return `${name.padEnd(16)} p50 ${figure(p50).padStart(7)} ms   p99 ${figure(p99).padStart(7)} ms   ${figure(perSecond).padStart(7)}/s   rounds apart ${figure(noise(all))} x`;
  });
  const of = (name: string): string => figure(figures[name] ?? Number.NaN);
  lines.push(
    '',
    `one at a time: p50 ${of('p50OverRaw')} x the raw ceiling (goal 1.5), p99 ${of('p99OverRaw')} x (goal 4)`,
    `32 in flight: ${of('groupEffectsPerSecond')} effects/s, ${of('groupShareOfRaw')} of the raw group commit's ${of('rawGroupEffectsPerSecond')} (goal 0.5)`,
    ...(late === null
      ? []
      : [`effect ${LATE} of a run: ${of('lateOverEarly')} x one of its first ${RUN_LENGTH} (goal 1.2)`]),
    `machine noise: the flush probe's slowest round took ${of('flushNoise')} x its fastest; only ratios within a round count`,
  );
  return { rounds, figures, lines };
}
