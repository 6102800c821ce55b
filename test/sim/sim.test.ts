import { describe, expect, it } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { addUp, runSeeds } from './seeds.ts';
import { tellFailed } from './shrink.ts';
import { FIRST_FAULTS, LATER_FAULTS } from './swarm.ts';

/** What a commit is judged by; a night has the rest. */
const SEEDS = scaled(2_500, 200_000);
/** Seeds with what the others do not have: see `drawSwarm`. */
const WIDE = scaled(150, 40_000);
/** Journals that travel cost time: fewer seeds of them, judged by all the same. */
const TRAVELLED = scaled(40, 5_000);
const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;

/** What the batch must have been through, or its silence proves nothing. */
const SOMETIMES = [
  'takeover',
  'blocked by the fence alone',
  'blocked by a deadline alone',
  'blocked by the hold-off',
  'blocked by the tail',
  'blocked by the gate',
  'lease doubtful',
  'register went back',
  'reclaimed',
  'repeated safely',
  'probed',
  'decided by a person',
  'sent again by a person',
  'in doubt: blind',
  'in doubt: compensable',
  'in doubt: idempotent-by-key',
  'in doubt: verifiable',
  'in doubt: read-only',
  'agents that could act again in time',
  'an approval used twice',
  'a decision made twice',
  'a grant adopted after a lost reply',
  'register histories judged',
  'of them without an answer',
] as const;

describe('the real host on simulated machines', () => {
  /** What the first seeds told the first time. */
  let once: readonly string[] = [];

  it('an invariant of the protocol is broken by some mixture of faults', async () => {
    const reports = await runSeeds({ from: 1, count: SEEDS });
    expect(reports).toHaveLength(SEEDS);
    once = reports.slice(0, 20).map((report) => report.fingerprint);
    const failed = reports.filter((report) => report.violation !== null);
    await tellFailed(failed);
    const faults = addUp(reports.map((report) => report.faults));
    const coverage = addUp(reports.map((report) => report.coverage));
    const simulatedMs = reports.reduce((sum, report) => sum + report.simulatedMs, 0);
    const faultCount = [...faults.values()].reduce((sum, count) => sum + count, 0);
    reportFigures({
      seeds: reports.length,
      'simulated years': simulatedMs / YEAR_MS,
      // The rest is the way to rest and a quiet night.
      'of them under faults': reports.reduce((sum, report) => sum + report.troubledMs, 0) / YEAR_MS,
      'longest way to rest, minutes': Math.max(...reports.map(({ toRestMs }) => toRestMs)) / MINUTE_MS,
      events: reports.reduce((sum, report) => sum + report.events, 0),
      effects: reports.reduce((sum, report) => sum + report.effects, 0),
      faults: faultCount,
      ...Object.fromEntries([...faults].map(([kind, count]) => [`of them ${kind}`, count])),
      ...Object.fromEntries(coverage),
      violations: failed.length,
    });
    expect(failed.map((report) => `seed ${report.seed}: ${report.violation}`)).toEqual([]);
    expect(SOMETIMES.filter((situation) => (coverage.get(situation) ?? 0) === 0)).toEqual([]);
    expect(FIRST_FAULTS.filter((fault) => (faults.get(fault) ?? 0) === 0)).toEqual([]);
    expect(simulatedMs).toBeGreaterThan(scaled(1, 100) * YEAR_MS);
    expect(faultCount).toBeGreaterThan(scaled(1_000_000, 100_000_000));
  });

  it('a disk that dies or loses a part, a put-back register or a crowd of devices breaks an invariant', async () => {
    const options = ['--wide'];
    const reports = await runSeeds({ from: 1, count: WIDE, options }, 25);
    const failed = reports.filter((report) => report.violation !== null);
    await tellFailed(failed, options);
    expect(failed.map((report) => `seed ${report.seed}: ${report.violation}`)).toEqual([]);
    const faults = addUp(reports.map((report) => report.faults));
    const coverage = addUp(reports.map((report) => report.coverage));
    const raised = coverage.get('a register raised by a person') ?? 0;
    const later = LATER_FAULTS.map((fault) => [fault, faults.get(fault) ?? 0] as const);
    reportFigures({
      'wide seeds': reports.length,
      'registers raised by a person': raised,
      ...Object.fromEntries(later),
    });
    expect(later.filter(([, count]) => count === 0)).toEqual([]);
    expect(raised).toBeGreaterThan(0);
  });

  it('devices that share their journals act twice, hang, or make different things of the same entries', async () => {
    const options = ['--journals-travel'];
    const reports = await runSeeds({ from: 1, count: TRAVELLED, options }, 10);
    const failed = reports.filter((report) => report.violation !== null);
    await tellFailed(failed, options);
    expect(failed.map((report) => `seed ${report.seed}: ${report.violation}`)).toEqual([]);
    const coverage = addUp(reports.map((report) => report.coverage));
    reportFigures({
      'seeds with journals': reports.length,
      'entries folded': coverage.get('entries folded') ?? 0,
      'records compared': coverage.get('records compared') ?? 0,
    });
    expect(coverage.get('entries folded') ?? 0).toBeGreaterThan(TRAVELLED * 10);
    expect(coverage.get('records compared') ?? 0).toBeGreaterThan(TRAVELLED / 10);
  });

  it('the same seed tells another story the second time', async () => {
    const again = (await runSeeds({ from: 1, count: 20 })).map((report) => report.fingerprint);
    expect(once).toHaveLength(20);
    expect(again).toEqual(once);
    expect(new Set(once).size).toBe(20);
  });
});
