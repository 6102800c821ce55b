import { firstViolation } from './seeds.ts';
import type { SeedReport } from './seeds.ts';

/**
 * Takes kinds of faults away from a failing seed, one after the other, for as long as it still fails in the same
 * invariant; answers the one command that shows what is left.
 */
export async function shrink(failed: SeedReport, options: readonly string[] = []): Promise<string> {
  const invariant = failed.violation?.split(':', 1)[0] ?? '';
  const without: string[] = [];
  const tried = new Set<string>();
  let told = failed;
  // With one kind gone a seed may fail later, after others that had not come yet: those are tried as well.
  for (;;) {
    const fault = Object.keys(told.faults).find((kind) => !tried.has(kind));
    if (fault === undefined) break;
    tried.add(fault);
    const less = [...options, '--without', [...without, fault].join(',')];
    const report = await firstViolation({ from: failed.seed, count: 1, options: less });
    if (report?.violation?.startsWith(`${invariant}:`) !== true) continue;
    without.push(fault);
    told = report;
  }
  const less = without.length === 0 ? [] : ['--without', without.join(',')];
  return ['node test/sim/run-seeds.ts', '--from', String(failed.seed), ...options, ...less, '--story'].join(' ');
}
