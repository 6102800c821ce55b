/** A day as a date field says it (`2026-10-12`), as its first moment on this device; `null` for an empty one. */
export function dayStartMs(day: string): number | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(day);
  if (parts === null) return null;
  return new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])).getTime();
}

/** The first moment after a day. Not a day’s length later: a day can have 23 hours or 25. */
export function dayEndMs(day: string): number | null {
  const startMs = dayStartMs(day);
  return startMs === null ? null : daysFrom(startMs, 1);
}

/** The first moment of the day that is so many days after, or before, that of a moment. */
export function daysFrom(atMs: number, days: number): number {
  const at = new Date(atMs);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
}

/** A moment as a date field says its day. */
export function dayOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
