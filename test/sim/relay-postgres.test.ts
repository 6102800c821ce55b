import { describe, expect, it } from 'vitest';
import { reportFigures, scaled } from '../harness/figures.ts';
import { addUp, runSeeds } from './seeds.ts';
import { tellFailed } from './shrink.ts';

/** Each asks a real server hundreds of times. */
const SEEDS = scaled(4, 200);
const OPTIONS = ['--relay', '--postgres'];

describe('the real exchange of journals over a real database', () => {
  it('something is done twice or forgotten by what is lost on the way to it, or the same seed tells another story', async () => {
    // In one process each, with a server of its own.
    const run = () => runSeeds({ from: 2, count: SEEDS, options: OPTIONS }, SEEDS);
    const [reports, again] = await Promise.all([run(), run()]);
    const failed = reports.filter((report) => report.violation !== null);
    await tellFailed(failed, OPTIONS);
    const coverage = addUp(reports.map((report) => report.coverage));
    const of = (label: string): number => coverage.get(label) ?? 0;
    reportFigures({
      'seeds with a database as the relay': reports.length,
      'entries that came by a database': of('entries folded'),
      'violations with a database as the relay': failed.length,
    });
    expect(failed.map((report) => `seed ${report.seed}: ${report.violation}`)).toEqual([]);
    expect(reports).toHaveLength(SEEDS);
    expect(of('records compared')).toBe(SEEDS);
    expect(of('entries folded')).toBeGreaterThan(0);
    const faults = addUp(reports.map((report) => report.faults));
    const lost = ['message-lost', 'reply-lost', 'message-late', 'message-repeated'] as const;
    expect(lost.filter((fault) => (faults.get(fault) ?? 0) === 0)).toEqual([]);
    expect(again.map((report) => report.fingerprint)).toEqual(reports.map((report) => report.fingerprint));
    expect(new Set(reports.map((report) => report.fingerprint)).size).toBe(SEEDS);
  });
});
