import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureEtcd } from './coordinators-etcd.ts';
import { measureHub } from './coordinators-hub.ts';
import { measurePostgres } from './coordinators-postgres.ts';
import type { BenchResult } from './effect-cost.ts';
import { figure, middle, noise, summarise, timeEach } from './measure.ts';
import type { Samples, Summary } from './measure.ts';
import { createFlushProbe } from './raw-ceiling.ts';

const ROUNDS = 5;
const PROBES = 200;

/** One thing that is measured in every round. */
export interface Step {
  readonly name: string;
  readonly run: () => Promise<Samples>;
}

/** What one coordinator brings to the rounds, and the lines it makes of what came of them. */
export interface Measured {
  readonly steps: readonly Step[];
  lines(of: (name: string) => Summary): readonly string[];
  figures(of: (name: string) => Summary): Readonly<Record<string, number>>;
  end(): Promise<void>;
}

/** The three coordinators elsewhere: the hub against the disk, PostgreSQL and etcd against a bare client of theirs. */
export async function coordinators(): Promise<BenchResult> {
  const folder = mkdtempSync(join(process.env['FENCEPOST_BENCH_FOLDER'] ?? tmpdir(), 'fencepost-bench-'));
  const probe = createFlushProbe(folder);
  const measured: Measured[] = [];
  try {
    measured.push(await measureHub(join(folder, 'hub')), await measurePostgres());
    const etcd = await measureEtcd();
    if (etcd !== null) measured.push(etcd);
    const flush: Step = {
      name: 'flush',
      run: () => timeEach('flush', { warmUp: 20, count: PROBES }, () => probe.probe()),
    };
    return await inRounds([flush, ...measured.flatMap(({ steps }) => steps)], measured);
  } finally {
    for (const each of measured) await each.end();
    probe.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inRounds(steps: readonly Step[], measured: readonly Measured[]): Promise<BenchResult> {
  const rounds: Record<string, Summary[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each round begins with another step, so that none always follows the same neighbour.
    for (let index = 0; index < steps.length; index += 1) {
      const step = steps[(index + round) % steps.length];
      if (step === undefined) continue;
      (rounds[step.name] ??= []).push(summarise(await step.run()));
    }
  }
  const of = (name: string): Summary => middle(rounds[name] ?? []);
  const flush = of('flush');
  const lines = [
    `flush probe: p50 ${figure(flush.p50)} ms, p99 ${figure(flush.p99)} ms, ${figure(flush.perSecond)} a second, rounds apart ${figure(noise(rounds['flush'] ?? []))}`,
    ...measured.flatMap((each) => each.lines(of)),
  ];
  const figures = Object.assign({}, ...measured.map((each) => each.figures(of))) as Record<string, number>;
  return { rounds, figures, lines };
}
