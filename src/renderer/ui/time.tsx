import { clockTime, fullTime, relativeTime } from './time-words.ts';
import { useNow, useNowOf } from './use-now.ts';

export type TimeFormat = 'minutes' | 'seconds' | 'relative' | 'both';

/** A moment: local, in tabular figures, with the whole date, zone and distance in its title. */
export function Time({ atMs, format = 'minutes' }: { readonly atMs: number; readonly format?: TimeFormat }) {
  const lookedMs = useNow(format === 'relative' || format === 'both' ? 10_000 : 60_000);
  // A moment that comes in between two looks at the clock brings its own: what has just been is not “in 2 s”.
  const nowMs = Math.max(lookedMs, useNowOf(atMs));
  const clock = clockTime(atMs, { nowMs, hasSeconds: format === 'seconds' });
  const relative = relativeTime(atMs, nowMs);
  const shown = format === 'relative' ? relative : format === 'both' ? `${clock}, ${relative}` : clock;
  return (
    <time className="num" dateTime={new Date(atMs).toISOString()} title={`${fullTime(atMs)} (${relative})`}>
      {shown}
    </time>
  );
}
