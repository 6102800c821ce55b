import { describe, expect, it } from 'vitest';
import { stretchOf, timeWords } from './time-filter.ts';

const at = (hour: number) => new Date(2026, 9, 12, hour, 30).getTime();
const start = (day: number, month = 9) => new Date(2026, month, day).getTime();

describe('the time of a list', () => {
  it('is another stretch at every moment, a day too short, or a last day without its end', () => {
    for (const hour of [0, 23]) {
      expect(stretchOf({ kind: 'today' }, at(hour))).toEqual({ sinceMs: start(12) });
      expect(stretchOf({ kind: 'since-yesterday' }, at(hour))).toEqual({ sinceMs: start(11) });
      expect(stretchOf({ kind: 'last-7-days' }, at(hour))).toEqual({ sinceMs: start(6) });
      expect(stretchOf({ kind: 'last-30-days' }, at(hour))).toEqual({ sinceMs: start(13, 8) });
    }
    const between = { kind: 'between', from: '2026-10-01', until: '2026-10-01' } as const;
    expect(stretchOf(between, at(9))).toEqual({ sinceMs: start(1), beforeMs: start(2) });
  });

  it('names the same day twice, or a day of another year without it', () => {
    const between = { kind: 'between', from: '2026-10-01', until: '2026-10-01' } as const;
    expect(timeWords(between, at(9))).toBe('1 Oct');
    expect(timeWords({ ...between, from: '2025-02-03' }, at(9))).toBe('3 Feb 2025 – 1 Oct');
    expect(timeWords({ kind: 'since-yesterday' }, at(9))).toBe('Since yesterday');
  });
});
