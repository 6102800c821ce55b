import { clockTime, fullTime, relativeTime } from './time-words.ts';
import { useNow } from './use-now.ts';

export type TimeFormat = 'minutes' | 'seconds' | 'relative' | 'both';

/** A moment: local, in tabular figures, with the whole date, zone and distance in its title. */
export function Time(props: { readonly atMs: number; readonly format?: TimeFormat }) {
  // Each moment looks at the clock when it comes: by the last look, what has just been would be “in 2 s”.
  return <Moment key={props.atMs} {...props} />;
}

function Moment({ atMs, format = 'minutes' }: { readonly atMs: number; readonly format?: TimeFormat }) {
  const nowMs = useNow(format === 'relative' || format === 'both' ? 10_000 : 60_000);
  const clock = clockTime(atMs, { nowMs, hasSeconds: format === 'seconds' });
  const relative = relativeTime(atMs, nowMs);
  const shown = format === 'relative' ? relative : format === 'both' ? `${clock}, ${relative}` : clock;
  return (
    <time className="num" dateTime={new Date(atMs).toISOString()} title={`${fullTime(atMs)} (${relative})`}>
      {shown}
    </time>
  );
}
