const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayMonthYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const full = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const status = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** `07:00` today, `Sun 21:10` within a week, `12 Oct` before that, with the year once it differs. */
export function clockTime(atMs: number, options: { readonly nowMs: number; readonly hasSeconds?: boolean }): string {
  const { nowMs, hasSeconds = false } = options;
  const clock = (hasSeconds ? seconds : minutes).format(atMs);
  if (isSameDay(atMs, nowMs)) return clock;
  if (Math.abs(nowMs - atMs) < 6 * DAY) return `${weekday.format(atMs)} ${clock}`;
  const date = dayMonthText(atMs, nowMs);
  return hasSeconds ? `${date} ${clock}` : date;
}

/** Only the clock, to the second. */
export function clockSeconds(atMs: number): string {
  return seconds.format(atMs);
}

/** Only the clock, to the minute. */
export function clockMinutes(atMs: number): string {
  return minutes.format(atMs);
}

/** `12 Oct`, with the year once it differs. */
export function dayMonthText(atMs: number, nowMs: number): string {
  const isThisYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  return (isThisYear ? dayMonth : dayMonthYear).format(atMs);
}

/** Everything about a moment, with the time zone. */
export function fullTime(atMs: number): string {
  return full.format(atMs);
}

/** Day, clock and zone: for a status bar. */
export function statusTime(atMs: number): string {
  return status.format(atMs);
}

/** `12 s ago`, `in 4 min`. */
export function relativeTime(atMs: number, nowMs: number): string {
  const distance = nowMs - atMs;
  if (Math.abs(distance) < 2 * SECOND) return 'now';
  return distance > 0 ? `${duration(distance)} ago` : `in ${duration(-distance)}`;
}

/** `0.1 s`, `48 s`, `13 min`, `1 h 12`, `3 d`. */
export function duration(lengthMs: number): string {
  const length = Math.max(0, lengthMs);
  if (length < SECOND) return `${(Math.max(1, Math.round(length / 100)) / 10).toFixed(1)} s`;
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < DAY) {
    const rest = Math.floor((length % HOUR) / MINUTE);
    return rest === 0
      ? `${Math.floor(length / HOUR)} h`
      : `${Math.floor(length / HOUR)} h ${String(rest).padStart(2, '0')}`;
  }
  return `${Math.floor(length / DAY)} d`;
}

/** `4:12`, for a countdown. */
export function countdown(leftMs: number): string {
  const left = Math.max(0, Math.ceil(leftMs / SECOND));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

/** `Today`, `Yesterday`, or the date. */
export function dayName(atMs: number, nowMs: number): string {
  if (isSameDay(atMs, nowMs)) return 'Today';
  if (isSameDay(atMs, nowMs - DAY)) return 'Yesterday';
  return dayMonthYear.format(atMs);
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
