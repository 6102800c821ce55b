import type { Limits } from './lessen.ts';
import { firstViolation } from './seeds.ts';
import type { SeedReport } from './seeds.ts';

/** Which parts of the time of trouble are tried: the shortest first. */
const SHARES = [0.125, 0.25, 0.5] as const;

/** What is taken away from a seed. */
interface Less {
  readonly limits: Limits;
  readonly without: readonly string[];
}

/**
 * Makes less of a failing seed for as long as it still fails in the same invariant: fewer devices and agents, then kinds of
 * faults, one after the other, then a shorter time of trouble. Answers the one command that shows what is left, with every
 * option that the seed failed with.
 */
export async function shrink(failed: SeedReport, options: readonly string[] = []): Promise<string> {
  const invariant = failed.violation?.split(':', 1)[0] ?? '';
  let less: Less = { limits: {}, without: [] };
  let told = failed;
  const attempt = async (next: Less): Promise<boolean> => {
    const tried = [...options, ...optionsOf(next)];
    const report = await firstViolation({ from: failed.seed, count: 1, options: tried });
    if (report?.violation?.startsWith(`${invariant}:`) !== true) return false;
    [less, told] = [next, report];
    return true;
  };
  for (const part of ['devices', 'agents'] as const)
    for (let most = 1; most < told.size[part]; most += 1)
      if (await attempt({ ...less, limits: { ...less.limits, [part]: most } })) break;
  const tried = new Set<string>();
  // With one kind gone a seed may fail later, after others that had not come yet: those are tried as well.
  for (;;) {
    const fault = Object.keys(told.faults).find((kind) => !tried.has(kind));
    if (fault === undefined) break;
    tried.add(fault);
    await attempt({ ...less, without: [...less.without, fault] });
  }
  // Up to the violation everything is as it was, if it came while there was trouble.
  for (const activeMs of [...SHARES.map((share) => share * told.size.activeMs), told.simulatedMs].map(Math.ceil))
    if (activeMs < told.size.activeMs && (await attempt({ ...less, limits: { ...less.limits, activeMs } }))) break;
  const all = ['--from', String(failed.seed), ...options, ...optionsOf(less), '--story'];
  return ['node test/sim/run-seeds.ts', ...all].join(' ');
}

function optionsOf({ limits, without }: Less): string[] {
  const { devices, agents, activeMs } = limits;
  return [
    ...(devices === undefined ? [] : ['--most-devices', String(devices)]),
    ...(agents === undefined ? [] : ['--most-agents', String(agents)]),
    ...(activeMs === undefined ? [] : ['--active-ms', String(activeMs)]),
    ...(without.length === 0 ? [] : ['--without', without.join(',')]),
  ];
}

/** So many failing seeds are shrunk: each takes many runs. */
const MOST_TOLD = 3;

/** Prints what failed, each seed with the command that replays it. */
export async function tellFailed(failed: readonly SeedReport[], options: readonly string[] = []): Promise<void> {
  for (const report of failed.slice(0, MOST_TOLD))
    process.stdout.write(`seed ${report.seed}: ${report.violation}\n  ${await shrink(report, options)}\n`);
}
