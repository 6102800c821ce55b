import { firstViolation } from './seeds.ts';
import type { SeedReport } from './seeds.ts';

/**
 * Takes kinds of faults away from a failing seed, one after the other, for as long as it still fails in the same
 * invariant; answers the one command that shows what is left.
 */
export async function shrink(failed: SeedReport, options: readonly string[] = []): Promise<string> {
  const invariant = failed.violation?.split(':', 1)[0] ?? '';
  const without: string[] = [];
  for (const fault of Object.keys(failed.faults)) {
    const tried = [...options, '--without', [...without, fault].join(',')];
    const report = await firstViolation({ from: failed.seed, count: 1, options: tried });
    if (report?.violation?.startsWith(`${invariant}:`) === true) without.push(fault);
  }
  const less = without.length === 0 ? [] : ['--without', without.join(',')];
  return ['node test/sim/run-seeds.ts', '--from', String(failed.seed), ...options, ...less, '--story'].join(' ');
}
