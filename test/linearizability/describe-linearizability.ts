import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { checkHistory } from './checker.ts';
import { byAgent } from './history.ts';
import type { Operation } from './history.ts';
import { describeViolation } from './report.ts';
import { runClients } from './run.ts';
import type { RunOptions, RunRecord } from './run.ts';
import type { ExpiryRules } from './specification.ts';

/** A history with less in it proves too little to be counted. */
const LEAST_OPERATIONS = 40;
/** Where the histories of violations are kept, below the folder that the tests run in. */
const KEPT = join('test-results', 'linearizability');
/** So many, and one in twenty, may have no verdict. */
const MOST_UNDECIDED = 2;
const JUDGE = new URL('judge-history.ts', import.meta.url);

/** Expiry on the boot clock of one machine, whose grain is 10 ms on Linux and up to 16 ms elsewhere. */
export const ONE_MACHINE: ExpiryRules = {
  rateTolerance: 1,
  grainMs: process.platform === 'linux' ? 11 : 20,
  lateMs: 20,
};

/** How a register is put to the test. Every coordinator is described in this way. */
export interface RegisterUnderTest {
  /** Exports `openCoordinator`; loaded by each client process. */
  readonly module: URL;
  /** A defect of a driver that is defective on purpose. */
  readonly variant?: string;
  /** Makes a new, empty register. */
  begin(): Promise<{ readonly place: string; end(): Promise<void> }>;
  readonly processes: number;
  /** Callers within each process. */
  readonly lanes: number;
  readonly expiry: ExpiryRules;
  readonly canReboot: boolean;
  /** Longer rounds for a register that answers more slowly; a history with few operations proves little. */
  readonly size?: RunSize;
  /** What the process of a client is put behind, such as a command that moves it to another machine. */
  readonly within?: (client: number) => readonly string[];
  /** What has not befallen its servers often enough yet. */
  readonly missing?: () => readonly string[];
}

type RunSize = Pick<RunOptions, 'rounds' | 'roundMs' | 'agentsPerRound'>;
const USUAL_SIZE: RunSize = { rounds: 5, roundMs: 1_400, agentsPerRound: 3 };

/** How much was looked at. */
interface Seen {
  histories: number;
  operations: number;
  'unknown outcomes': number;
  takeovers: number;
  kills: number;
  stops: number;
  'clock steps': number;
  reboots: number;
  /** Histories whose search grew too large: no verdict, and so not counted as looked at. */
  undecided: number;
  violations: number;
}

/** So many runs beyond those that the histories take may bring what happens by chance and was not seen yet. */
const MORE_RUNS = 12;

/** Many histories of one register, every one of which has to be what one register would have done (protocol, I10). */
export function describeLinearizability(
  name: string,
  register: RegisterUnderTest,
  histories: { readonly perCommit: number; readonly perNight: number },
): void {
  describe(name, () => {
    test('is one register to all its clients, whatever is stopped, killed or misled about the time', async () => {
      const wanted = scaled(histories.perCommit, histories.perNight);
      const seen = nothingSeen();
      const missing = (): readonly string[] => [...notSeen(seen, wanted, register), ...(register.missing?.() ?? [])];
      let more = 0;
      for (let seed = firstSeed(); seen.histories < wanted || (missing().length > 0 && more < MORE_RUNS); seed += 1) {
        if (seen.histories >= wanted) more += 1;
        const record = await runOnce(register, seed);
        const found = judge(register, record, seen);
        if (found === null) continue;
        reportFigures({ ...seen });
        expect.fail(explain(name, seed, found, register.expiry));
      }
      reportFigures({ ...seen });
      expect(missing()).toEqual([]);
    });
  });
}

/** What so many histories must have had in them, or they prove too little: which of it was not there often enough. */
function notSeen(seen: Seen, histories: number, { canReboot }: RegisterUnderTest): readonly string[] {
  const often = { 'unknown outcomes': histories, takeovers: histories, operations: histories * LEAST_OPERATIONS };
  const few = histories / 20;
  // One disturbance in a hundred is a restart of the machine, where the register sees one: a run has about one of them.
  const reboots = canReboot ? { reboots: 0 } : {};
  return shortOf({ ...seen }, { ...often, kills: few, stops: few, 'clock steps': few, ...reboots });
}

/** What was not seen more often than it says. */
export function shortOf(
  seen: Readonly<Record<string, number>>,
  often: Readonly<Record<string, number>>,
): readonly string[] {
  return Object.keys(often).filter((what) => !((seen[what] ?? 0) > (often[what] ?? 0)));
}

/** How many histories a defective driver takes until one of them gives it away; fails if none of `limit` does. */
export async function historiesUntilCaught(register: RegisterUnderTest, limit: number): Promise<number> {
  const seen = nothingSeen();
  for (let seed = firstSeed(); seen.histories < limit; seed += 1) {
    const record = await runOnce(register, seed, register.size ?? { ...USUAL_SIZE, rounds: 2, roundMs: 700 });
    if (judge(register, record, seen) !== null) return seen.histories;
  }
  throw new Error(`${register.variant} was not caught in ${seen.histories} histories.`);
}

/** `FENCEPOST_LIN_SEED` repeats the choices of a run; the machine's own timing is not repeatable. */
function firstSeed(): number {
  return Number(process.env['FENCEPOST_LIN_SEED'] ?? 1);
}

async function runOnce(
  register: RegisterUnderTest,
  seed: number,
  size = register.size ?? USUAL_SIZE,
): Promise<RunRecord> {
  const begun = await register.begin();
  try {
    const { module, variant = null, processes, lanes, canReboot, within } = register;
    const { place } = begun;
    return await runClients({
      module,
      variant,
      processes,
      lanes,
      canReboot,
      place,
      seed,
      ...size,
      ...(within && { within }),
    });
  } finally {
    await begun.end();
  }
}

/**
 * The first history that no order explains, if there is one. Finding an order is NP-complete, and now and then a history
 * with many unheard answers outgrows the search: it proves nothing either way, is not counted, and there may be few of them.
 */
function judge(
  register: RegisterUnderTest,
  { operations, figures }: RunRecord,
  seen: Seen,
): readonly Operation[] | null {
  for (const name of ['kills', 'stops', 'clock steps', 'reboots'] as const) seen[name] += figures[name];
  for (const [agentId, history] of byAgent(operations)) {
    const verdict = checkHistory(history, register.expiry);
    if (verdict.kind === 'undecided') {
      seen.undecided += 1;
      keep(`undecided-${agentId}-${verdict.states}`, history, register.expiry);
      if (seen.undecided > MOST_UNDECIDED + seen.histories / 20)
        throw new Error(`${seen.undecided} histories are undecided.`);
      continue;
    }
    seen.operations += history.length;
    if (history.length >= LEAST_OPERATIONS) seen.histories += 1;
    for (const { answer, call } of history) {
      if (answer === null && call.verb !== 'reboot') seen['unknown outcomes'] += 1;
      if (answer?.reply?.kind === 'granted' && answer.reply.holdOff && !answer.reply.isReplay) seen.takeovers += 1;
    }
    if (verdict.kind === 'violation') {
      seen.violations += 1;
      return history;
    }
  }
  return null;
}

function explain(name: string, seed: number, history: readonly Operation[], expiry: ExpiryRules): string {
  const file = keep(`${name.replaceAll(' ', '-')}-${seed}`, history, expiry);
  return [
    describeViolation(history, expiry),
    `The history again: node ${relative(process.cwd(), fileURLToPath(JUDGE))} ${file}`,
    `The same choices again: FENCEPOST_LIN_SEED=${seed} npx vitest run --project lin -t '${name}'`,
  ].join('\n');
}

/** Writes a history down for whoever looks at it later; where it is. */
function keep(name: string, history: readonly Operation[], expiry: ExpiryRules): string {
  mkdirSync(KEPT, { recursive: true });
  const file = join(KEPT, `${name}.json`);
  writeFileSync(
    file,
    JSON.stringify({ expiry, history }, (_, value: unknown) => (value === Infinity ? 'never' : value)),
  );
  return file;
}

function nothingSeen(): Seen {
  return {
    histories: 0,
    operations: 0,
    'unknown outcomes': 0,
    takeovers: 0,
    kills: 0,
    stops: 0,
    'clock steps': 0,
    reboots: 0,
    undecided: 0,
    violations: 0,
  };
}
