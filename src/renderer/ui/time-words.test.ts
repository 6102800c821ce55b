import { describe, expect, it } from 'vitest';
import { clockTime, countdown, dayName, duration, relativeTime } from './time-words.ts';

const NOON = new Date(2026, 9, 12, 12, 0, 0).getTime();
const HOUR = 3_600_000;

describe('times in words', () => {
  it('shows the day as soon as it is not today, so that 21:10 is never taken for this evening', () => {
    expect(clockTime(NOON - HOUR, { nowMs: NOON })).toBe('11:00');
    expect(clockTime(NOON - 15 * HOUR, { nowMs: NOON })).toBe('Sun 21:00');
    expect(clockTime(NOON - 30 * 24 * HOUR, { nowMs: NOON })).toBe('12 Sept');
    expect(clockTime(NOON - 400 * 24 * HOUR, { nowMs: NOON })).toContain('2025');
  });

  it('never rounds a short duration to nothing or a long one up', () => {
    expect(duration(3)).toBe('0.1 s');
    expect(duration(59_999)).toBe('59 s');
    expect(duration(72 * 60_000)).toBe('1 h 12');
    expect(duration(-5)).toBe('0.1 s');
    expect(duration(50 * HOUR)).toBe('2 d');
  });

  it('says whether a moment is past or still to come', () => {
    expect(relativeTime(NOON - 12_000, NOON)).toBe('12 s ago');
    expect(relativeTime(NOON + 4 * 60_000, NOON)).toBe('in 4 min');
    expect(relativeTime(NOON, NOON)).toBe('now');
  });

  it('counts down to 0:00 and not below', () => {
    expect(countdown(252_000)).toBe('4:12');
    expect(countdown(-1)).toBe('0:00');
    expect(countdown(1)).toBe('0:01');
  });

  it('names days by the calendar, not by 24 hours', () => {
    expect(dayName(NOON - 11 * HOUR, NOON)).toBe('Today');
    expect(dayName(NOON - 13 * HOUR, NOON)).toBe('Yesterday');
  });
});
