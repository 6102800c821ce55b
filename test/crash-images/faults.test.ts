import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { buildShim, canWatchDisks, memoryFolder, runWatched } from './disk-shim.ts';
import type { FaultOutcome } from './fault-case.ts';
import type { DiskFault } from './fault-lane.ts';

const WORKERS = 2;
const LIMIT_MS = 3 * 3_600_000;
/** Beyond the first effect of a run, and while starting, only each so-and-so-many-th operation fails in a commit's run. */
const STRIDE = scaled(4, 1);
/** Upkeep has many more of them: brought up to the newest form, a record is written anew. */
const UPKEEP_STRIDE = { change: scaled(24, 1), sync: scaled(6, 1) } as const;
/** No run is exactly as long as the one before: so many operations more are tried. */
const BEYOND = { change: 12, sync: 5 } as const;

type Sweep = Pick<DiskFault, 'during' | 'kind' | 'on'>;

const HOSTS = ['host', 'host-and-register'] as const;
const LIVES = [
  ...(['start', 'run'] as const).flatMap((during) => HOSTS.map((kind) => ({ during, kind }))),
  ...(['old-record', 'new-record'] as const).map((kind) => ({ during: 'upkeep', kind }) as const),
];
const SWEEPS: readonly Sweep[] = LIVES.flatMap((life) => (['change', 'sync'] as const).map((on) => ({ ...life, on })));

describe.skipIf(!canWatchDisks)('a disk that reports errors', () => {
  let folder: string;
  let library: string;
  let rounds = 0;
  beforeAll(() => {
    folder = memoryFolder('faults');
    library = buildShim(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function liveThrough(faults: readonly DiskFault[]): Promise<FaultOutcome[]> {
    const file = new URL('fault-worker.ts', import.meta.url);
    const outcomes = await Promise.all(
      Array.from({ length: WORKERS }, (_, worker) => {
        rounds += 1;
        const root = join(folder, `root-${rounds}`);
        const given = { root, faults: faults.filter((_fault, index) => index % WORKERS === worker) };
        return runWatched<FaultOutcome[]>({ library, root, log: null, file, given, limitMs: LIMIT_MS });
      }),
    );
    return outcomes.flat();
  }

  for (const { during, kind, on } of SWEEPS) {
    const what = on === 'sync' ? 'flush' : 'change';
    test(`${during} of a ${kind}: a ${what} that fails lets something happen twice, get lost or hang`, async () => {
      const clean = await liveThrough([{ during, kind, on, code: 'EIO', at: 0, isForEver: false }]);
      const [counted] = clean;
      expect(counted).toMatchObject({ isEnded: true, fired: 0, findings: [] });
      const faults = sweepOf({ during, kind, on }, counted);
      const outcomes = await liveThrough(faults);
      expect(outcomes).toHaveLength(faults.length);
      const fired = outcomes.filter((outcome) => outcome.fired > 0);
      const twice = outcomes.reduce((sum, outcome) => sum + outcome.twice, 0);
      reportFigures({ 'I/O faults': fired.length, 'effects twice': twice });
      expect(outcomes.filter((outcome) => outcome.findings.length > 0).map(textOf)).toEqual([]);
      // Every operation was reached, and beyond the last one nothing failed any more.
      expect(fired.length).toBeGreaterThan(faults.length * 0.4);
      expect(outcomes.some((outcome) => outcome.fired === 0)).toBe(true);
      if (during === 'run') expectAnswers(fired);
    });
  }
});

/** Every operation up to the settlement of the first effect, then in strides, until one that is never reached. */
function sweepOf(sweep: Sweep, counted: FaultOutcome | undefined): DiskFault[] {
  const seen = counted?.seen ?? 0;
  const isEach = sweep.kind === 'host' || sweep.on === 'sync';
  const each = sweep.during === 'run' && isEach ? (counted?.seenUntilSettled ?? 0) : 0;
  const ofHost = sweep.on === 'sync' ? 1 : STRIDE;
  const stride = sweep.during === 'upkeep' ? UPKEEP_STRIDE[sweep.on] : ofHost;
  const faults: DiskFault[] = [];
  const last = seen + BEYOND[sweep.on];
  const places: number[] = [];
  for (let at = 1; at < last; at += at < each ? 1 : stride) places.push(at);
  for (const at of [...places, last]) {
    for (const code of ['EIO', 'ENOSPC'] as const) {
      for (const isForEver of [false, true]) faults.push({ ...sweep, code, at, isForEver });
    }
  }
  return faults;
}

/** Whoever writes while the disk fails for ever is answered with the code of what is wrong. */
function expectAnswers(fired: readonly FaultOutcome[]): void {
  const codes = new Set(fired.flatMap((outcome) => outcome.codes));
  expect([...codes].filter((code) => !/^(?:store-unsure|store-full|register-unreachable)$/u.test(code))).toEqual([]);
  expect(codes).toContain('store-unsure');
}

function textOf({ fault, findings }: FaultOutcome): string {
  const texts = findings.map((finding) => `${finding.kind}: ${finding.text}`).join('; ');
  return `${fault.code} at ${fault.on} ${fault.at}${fault.isForEver ? ' and ever after' : ''}: ${texts}`;
}
