import { expect, it } from 'vitest';
import { firstViolation } from './seeds.ts';
import { shrink } from './shrink.ts';

it.each([
  { plant: 'last-look-left-out', needs: 'trouble' },
  { plant: 'no-fence', needs: 'nothing' },
])(
  'a failing seed is told with faults that have nothing to do with it, or cannot be told again: $plant',
  async ({ plant, needs }) => {
    const planted = ['--plant', plant];
    const failed = await firstViolation({ from: 1, count: 30, options: planted });
    if (failed === null) throw new Error('The planted bug was not found.');
    const command = await shrink(failed, planted);
    const [, , from, seed, ...options] = command.split(' ').slice(0, -1);
    expect([from, seed]).toEqual(['--from', String(failed.seed)]);
    const again = await firstViolation({ from: failed.seed, count: 1, options });
    expect(again?.violation?.split(':')[0]).toBe(failed.violation?.split(':')[0]);
    const [before, left] = [failed, again].map((report) => Object.keys(report?.faults ?? {}).length);
    expect(before).toBeGreaterThan(0);
    // A bug that shows without any trouble is told with less of it; the other one never without.
    if (needs === 'nothing') expect(left).toBeLessThan(before ?? 0);
    else expect(left).toBeGreaterThan(0);
  },
);
