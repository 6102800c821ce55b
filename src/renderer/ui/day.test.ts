import { describe, expect, it } from 'vitest';
import { dayEndMs, dayOf, daysFrom, dayStartMs } from './day.ts';

describe('a day', () => {
  it('loses its last hour, or is taken for one in another time zone', () => {
    const start = dayStartMs('2026-10-25') ?? 0;
    expect(new Date(start).getHours()).toBe(0);
    expect(dayEndMs('2026-10-25')).toBe(dayStartMs('2026-10-26'));
    expect(dayOf(start)).toBe('2026-10-25');
    expect([dayStartMs(''), dayEndMs('soon')]).toEqual([null, null]);
  });

  it('is counted in hours, so that a changed clock or the end of a year moves it', () => {
    const noon = new Date(2026, 2, 31, 12).getTime();
    expect(dayOf(daysFrom(noon, -6))).toBe('2026-03-25');
    expect(dayOf(daysFrom(new Date(2027, 0, 3, 23, 59).getTime(), -29))).toBe('2026-12-05');
    expect(new Date(daysFrom(noon, 0)).getHours()).toBe(0);
  });
});
