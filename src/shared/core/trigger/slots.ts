const HOUR_MS = 3_600_000;
/**
 * Local time is between 12 hours behind and 14 ahead of Greenwich. So far before and after a local time, read as if it were
 * of Greenwich, its moment has surely not come and has surely passed.
 */
const SURELY_BEFORE_MS = 15 * HOUR_MS;
const SURELY_AFTER_MS = 13 * HOUR_MS;

/** How far the clocks of a time zone are ahead of Greenwich at a moment, ms. */
export type ZoneOffset = (atMs: number) => number;

/** A time as a calendar names it, before anybody asks whether the clocks show it once, twice or never. */
export interface LocalTime {
  /** Such as `2027-03-14T02:30`. */
  readonly name: string;
  /** The same time as if it were of Greenwich, ms. */
  readonly localMs: number;
}

/** One moment at which a schedule is due. Its name is the same on every device and after every restart. */
export interface Slot {
  readonly slot: string;
  readonly atMs: number;
}

/**
 * The moments of local times, in order. A time that the clocks skip is due at the first moment after the gap, once, however
 * many times were skipped. A time that they show twice is due the first time only, unless the schedule means every hour:
 * then an hour that comes twice is two hours, and the second has a name of its own.
 */
export function slotsOf(
  times: readonly LocalTime[],
  zone: { readonly offsetAtMs: ZoneOffset; readonly isEveryHour: boolean },
): readonly Slot[] {
  const byMoment = new Map<number, Slot>();
  for (const { name, localMs } of times) {
    const [first, second] = momentsOf(localMs, zone.offsetAtMs);
    byMoment.set(first, { slot: name, atMs: first });
    if (second !== null && zone.isEveryHour) byMoment.set(second, { slot: `${name}/2`, atMs: second });
  }
  return [...byMoment.values()].toSorted((one, other) => one.atMs - other.atMs);
}

/** When the clocks show a local time: the first moment, and the second if there is one. */
function momentsOf(localMs: number, offsetAtMs: ZoneOffset): readonly [number, number | null] {
  const before = offsetAtMs(localMs - SURELY_BEFORE_MS);
  const after = offsetAtMs(localMs + SURELY_AFTER_MS);
  const shown = [localMs - before, localMs - after].filter((atMs) => atMs + offsetAtMs(atMs) === localMs);
  const [first, second = null] = shown;
  if (first === undefined) return [endOfGap(localMs - after, localMs - before, offsetAtMs), null];
  return [first, second === first ? null : second];
}

/** The first moment at which the clocks are no longer as they were at `fromMs`; they are changed at `toMs`. */
function endOfGap(fromMs: number, toMs: number, offsetAtMs: ZoneOffset): number {
  const before = offsetAtMs(fromMs);
  let unchangedMs = fromMs;
  let changedMs = toMs;
  while (changedMs - unchangedMs > 1) {
    const middleMs = Math.floor((unchangedMs + changedMs) / 2);
    if (offsetAtMs(middleMs) === before) unchangedMs = middleMs;
    else changedMs = middleMs;
  }
  return changedMs;
}
