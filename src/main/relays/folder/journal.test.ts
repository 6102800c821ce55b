import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Journal } from './journal.ts';
import type { IndexedSegment } from './journal.ts';
import { mergePlan } from './merge-plan.ts';

/** A file whose operations are named by place and variant. */
function segment(first: number, last: number, of: { variant?: string; characters?: number } = {}): IndexedSegment {
  const { variant = '', characters = 100 } = of;
  const places = Array.from({ length: last - first + 1 }, (_, index) => `${first + index}${variant}`);
  const prints = Buffer.concat(places.map((place) => createHash('md5').update(place).digest()));
  const digest = createHash('sha256').update(prints).digest('hex');
  return { file: `segment-${first}-${last}-${variant}`, digest, first, last, characters, prints };
}

const range = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 6 }));
const pieces = fc.array(range, { maxLength: 12 });
const segmentsOf = (ranges: readonly (readonly [number, number])[]): IndexedSegment[] =>
  ranges.map(([first, more]) => segment(first, first + more));

describe('a journal in pieces', () => {
  it('is never read beyond a missing entry, in whatever pieces and order it came', () => {
    fc.assert(
      fc.property(pieces, fc.nat({ max: 25 }), (ranges, from) => {
        const journal = new Journal(segmentsOf(ranges));
        const held = new Set(
          ranges.flatMap(([first, more]) => Array.from({ length: more + 1 }, (_, at) => first + at)),
        );
        let expected = from;
        while (held.has(expected + 1)) expected += 1;
        expect(journal.reach(from)).toBe(expected);
        expect(journal.countUpTo(from)).toBe([...held].filter((seq) => seq <= from).length);
        for (const seq of held) {
          const at = journal.at(seq);
          expect(at !== undefined && at.first <= seq && at.last >= seq).toBe(true);
        }
        expect(journal.forks).toEqual([]);
      }),
    );
  });

  it('is not read beyond the first place at which there are two versions', () => {
    const journal = new Journal([segment(1, 4), segment(3, 6, { variant: 'other' }), segment(5, 9)]);
    expect(journal.forks).toEqual([3, 4, 5, 6]);
    expect([0, 2, 4, 6].map((from) => journal.reach(from))).toEqual([2, 2, 4, 9]);
    const print = segment(3, 3).prints;
    expect([2, 3, 10].map((seq) => journal.holds(seq, print))).toEqual(['other', 'other', 'none']);
    expect(journal.holds(1, segment(1, 1).prints)).toBe('same');
  });

  it('loses no entry when needless files are removed, not even between equal copies', () => {
    fc.assert(
      fc.property(pieces, (ranges) => {
        const twice = segmentsOf([...ranges, ...ranges]).map((each, index) => ({
          ...each,
          file: `${each.file}${index}`,
        }));
        const journal = new Journal(twice);
        const needless = new Set(journal.redundant().map((each) => each.file));
        const left = new Journal(twice.filter((each) => !needless.has(each.file)));
        expect(left.countUpTo(100)).toBe(journal.countUpTo(100));
        expect(left.redundant()).toEqual([]);
        if (ranges.length > 0) expect(needless.size).toBeGreaterThanOrEqual(ranges.length);
      }),
    );
  });

  it('does not remove one side of a fork as needless', () => {
    const journal = new Journal([segment(1, 9), segment(3, 4, { variant: 'other' })]);
    expect(journal.redundant()).toEqual([]);
  });
});

describe('merging', () => {
  it('keeps the number of files and what is written again small over a long journal', () => {
    let segments: IndexedSegment[] = [];
    let written = 0;
    let most = 0;
    const sizes = [300, 2_000, 300, 40_000, 300, 300];
    for (let seq = 1; seq <= 3_000; seq++) {
      segments.push(segment(seq, seq, { characters: sizes[seq % sizes.length] ?? 300 }));
      const plan = mergePlan(new Journal(segments));
      if (plan === null) continue;
      const [first = 1, last = 1] = [plan[0]?.first, plan.at(-1)?.last];
      const characters = plan.reduce((sum, each) => sum + each.characters, 0);
      written += characters;
      segments = [...segments.filter((each) => !plan.includes(each)), segment(first, last, { characters })];
      most = Math.max(most, segments.length);
    }
    const total = segments.reduce((sum, each) => sum + each.characters, 0);
    expect(new Journal(segments).reach(0)).toBe(3_000);
    expect(total).toBeGreaterThan(20_000_000);
    expect(most).toBeLessThan(25);
    expect(written / total).toBeLessThan(5);
  });

  it('makes no file that is longer than the limits, and none across a gap', () => {
    const large = Array.from({ length: 20 }, (_, index) => segment(index + 1, index + 1, { characters: 900_000 }));
    const plan = mergePlan(new Journal(large)) ?? [];
    expect(plan.length).toBeGreaterThan(1);
    expect(plan.reduce((sum, each) => sum + each.characters, 0)).toBeLessThanOrEqual(4 * 1_048_576);
    const holed = Array.from({ length: 20 }, (_, index) => segment(index * 2 + 1, index * 2 + 1));
    expect(mergePlan(new Journal(holed))).toBeNull();
  });
});
