import { describe, expect, it } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { RELAY_SITUATIONS } from './relay-log.ts';
import { addUp, runSeeds } from './seeds.ts';
import { tellFailed } from './shrink.ts';
import { RELAY_FAULTS } from './swarm.ts';

/** Every entry is sealed, signed and opened on each device, so a seed takes seconds. */
const SEEDS = scaled(20, 4_000);
/** What the layers kept, and how much the register was asked; the last two are reached by any few seeds. */
const KEPT = ['blocked by the oracle alone', 'blocked by the hold-off', 'register histories judged'] as const;

/** So many at a time, since one may take ten times as long as another. */
const AT_ONCE = 4;
const OPTIONS = ['--relay'];
const DAY_MS = 86_400_000;

describe('the real exchange of journals over simulated relays', () => {
  /** What the first seeds told the first time. */
  let once: readonly string[] = [];

  it('something is done twice, forgotten or told otherwise on another device by what a relay does', async () => {
    const reports = await runSeeds({ from: 1, count: SEEDS, options: OPTIONS }, AT_ONCE);
    expect(reports).toHaveLength(SEEDS);
    once = reports.slice(0, 3).map((report) => report.fingerprint);
    const failed = reports.filter((report) => report.violation !== null);
    await tellFailed(failed, OPTIONS);
    const faults = addUp(reports.map((report) => report.faults));
    const coverage = addUp(reports.map((report) => report.coverage));
    const of = (label: string): number => coverage.get(label) ?? 0;
    reportFigures({
      'seeds with a relay': reports.length,
      'simulated days with a relay': reports.reduce((sum, report) => sum + report.simulatedMs, 0) / DAY_MS,
      'effects with a relay': reports.reduce((sum, report) => sum + report.effects, 0),
      'entries that came by a relay': of('entries folded'),
      'simulations in which all records were compared': of('records compared'),
      ...Object.fromEntries(RELAY_SITUATIONS.map((situation) => [situation, of(situation)])),
      ...Object.fromEntries(KEPT.map((situation) => [situation, of(situation)])),
      'violations with a relay': failed.length,
    });
    expect(failed.map((report) => `seed ${report.seed}: ${report.violation}`)).toEqual([]);
    // The oracle is alone by chance here, where the tail was pruned; it surely is where the tail is off (plants.test.ts).
    expect(KEPT.slice(1).filter((situation) => of(situation) === 0)).toEqual([]);
    expect(RELAY_SITUATIONS.filter((situation) => of(situation) === 0)).toEqual([]);
    expect(RELAY_FAULTS.filter((fault) => (faults.get(fault) ?? 0) === 0)).toEqual([]);
    expect(of('records compared')).toBe(SEEDS);
  });

  it('the same seed with a relay tells another story the second time', async () => {
    const again = (await runSeeds({ from: 1, count: 3, options: OPTIONS }, 3)).map((report) => report.fingerprint);
    expect(once).toHaveLength(3);
    expect(again).toEqual(once);
    expect(new Set(once).size).toBe(3);
  });
});
