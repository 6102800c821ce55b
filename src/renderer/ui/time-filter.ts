import type { ListTime } from '../../shared/contract/saved-views.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { dayEndMs, daysFrom, dayStartMs } from './day.ts';
import { text } from './strings.ts';
import { dayMonthText } from './time-words.ts';

/** The times that a list can be narrowed to, as menus offer them. */
export const TIME_CHOICES: readonly { readonly value: ListTime['kind']; readonly label: string }[] = [
  { value: 'today', label: text.times.today },
  { value: 'since-yesterday', label: text.times['since-yesterday'] },
  { value: 'last-7-days', label: text.times['last-7-days'] },
  { value: 'last-30-days', label: text.times['last-30-days'] },
  { value: 'between', label: text.times.ask },
];

/** `Last 7 days`, or `3 Feb – 29 Feb`. */
export function timeWords(time: ListTime, nowMs: number): string {
  if (time.kind !== 'between') return text.times[time.kind];
  const day = (value: string) => dayMonthText(dayStartMs(value) ?? 0, nowMs);
  return time.from === time.until ? day(time.from) : `${day(time.from)} – ${day(time.until)}`;
}

/** The stretch of a time on this device at a moment, wall ms. It stays the same until the day is over. */
export function stretchOf(time: ListTime, nowMs: number): { readonly sinceMs: number; readonly beforeMs?: number } {
  switch (time.kind) {
    case 'today':
      return { sinceMs: daysFrom(nowMs, 0) };
    case 'since-yesterday':
      return { sinceMs: daysFrom(nowMs, -1) };
    case 'last-7-days':
      return { sinceMs: daysFrom(nowMs, -6) };
    case 'last-30-days':
      return { sinceMs: daysFrom(nowMs, -29) };
    case 'between':
      return { sinceMs: Math.max(0, dayStartMs(time.from) ?? 0), beforeMs: Math.max(0, dayEndMs(time.until) ?? 0) };
    default:
      return assertNever(time);
  }
}
