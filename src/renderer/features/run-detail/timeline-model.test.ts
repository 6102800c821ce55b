import { describe, expect, it } from 'vitest';
import type { TimelineRow, WhyView } from '../../../shared/contract/views.ts';
import { axisOf, gapsOf, shareOf, whyFor, whyForLane } from './timeline-model.ts';

const row = (seq: number, atMs: number, mark: TimelineRow['mark'] = 'dot'): TimelineRow => ({
  seq,
  word: 'effect',
  atMs,
  sentence: '',
  measure: '',
  mark,
  effectKey: null,
});
const why = (seq: number, effectKey: string, verdict: 'yes' | 'decided'): WhyView => ({
  seq,
  atMs: 0,
  effectKey,
  headline: '',
  isGoodNews: true,
  questions: [{ question: '', answer: '', verdict }],
  facts: [],
});

describe('time axis', () => {
  it('has a length even if everything happened in one millisecond, so that no mark lies at infinity', () => {
    const axis = axisOf({ timeline: [row(1, 1_000)], lanes: [], endMs: 1_000 });
    expect(shareOf(axis, 1_000)).toBe(0);
    expect(axis.toMs).toBeGreaterThan(axis.fromMs);
  });

  it('puts few ticks on round times within the axis', () => {
    const axis = axisOf({ timeline: [row(1, 0), row(2, 70 * 60_000)], lanes: [], endMs: 0 });
    expect(axis.ticks).toEqual([0, 15, 30, 45, 60].map((minutes) => minutes * 60_000));
  });

  it('keeps a mark from a clock that runs ahead inside the picture', () => {
    const axis = axisOf({ timeline: [row(1, 0), row(2, 10_000)], lanes: [], endMs: 0 });
    expect(shareOf(axis, 99_999_999)).toBe(1);
    expect(shareOf(axis, -5)).toBe(0);
  });

  it('draws a gap that nothing has followed yet up to now', () => {
    expect(gapsOf([row(1, 0), row(2, 10, 'gap')], 500)).toEqual([{ fromMs: 10, toMs: 500 }]);
    expect(gapsOf([row(1, 10, 'gap'), row(2, 40)], 500)).toEqual([{ fromMs: 10, toMs: 40 }]);
  });
});

describe('which decision explains what', () => {
  it('matches by the journal row, never by time', () => {
    expect(whyFor(row(7, 0), [why(6, 'a', 'yes'), why(7, 'b', 'yes')])?.effectKey).toBe('b');
    expect(whyFor(row(8, 0), [why(7, 'b', 'yes')])).toBeNull();
  });

  it('prefers the refusal of an effect to a later plain yes', () => {
    const lane = { effectKey: 'a', title: '', outcome: '', status: 'done', marks: [] } as const;
    expect(whyForLane(lane, [why(1, 'a', 'decided'), why(2, 'a', 'yes'), why(3, 'b', 'decided')])?.seq).toBe(1);
  });
});
